import type { ComponentProps, ReactElement } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface IconButtonProps extends Omit<ComponentProps<"button">, "type" | "aria-label"> {
  readonly label: string;
  readonly icon: IconName;
}

/** A button with an icon; `label` is its accessible name. */
export function IconButton({ label, icon, className = "", ...rest }: IconButtonProps): ReactElement {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
