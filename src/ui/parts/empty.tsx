import type { ReactElement, ReactNode } from "react";

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** A command line to copy into a terminal. */
  readonly command?: string;
}

/** Shown in place of a list without entries. */
export function Empty({ title, children, command }: EmptyProps): ReactElement {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
      {command === undefined ? null : (
        <pre>
          <code>{command}</code>
        </pre>
      )}
    </div>
  );
}
