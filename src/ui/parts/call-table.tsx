import type { ReactElement, ReactNode } from "react";

interface CallTableProps {
  readonly heads: readonly string[];
  /** The rows. */
  readonly children: ReactNode;
}

/** A table of tool calls, which scrolls sideways. */
export function CallTable({ heads, children }: CallTableProps): ReactElement {
  return (
    // A scrollable region must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-box" tabIndex={0} role="region" aria-label="Calls">
      <table className="calls">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
