import type { MouseEvent, ReactElement, ReactNode } from "react";
import { navigate } from "../router.ts";

interface LinkProps {
  readonly to: string;
  readonly className?: string | undefined;
  readonly isCurrent?: boolean | undefined;
  readonly label?: string | undefined;
  readonly children: ReactNode;
}

/** A link within the page. The browser handles clicks with a modifier. */
export function Link({ to, className, isCurrent, label, children }: LinkProps): ReactElement {
  const onClick = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a
      href={to}
      className={className}
      aria-current={isCurrent === true ? "page" : undefined}
      aria-label={label}
      onClick={onClick}
    >
      {children}
    </a>
  );
}
