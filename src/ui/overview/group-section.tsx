import type { ReactElement, ReactNode } from "react";
import type { SessionGroup } from "../sessions/attention.ts";

interface GroupSectionProps {
  readonly group: SessionGroup;
  /** How the members are laid out. */
  readonly className: "rows" | "tiles";
  readonly children: ReactNode;
}

/** A group of sessions with its title. */
export function GroupSection({ group, className, children }: GroupSectionProps): ReactElement {
  const { key, title, views } = group;
  return (
    <section className="group" data-group={key} aria-labelledby={`group-${key}`}>
      <h2 id={`group-${key}`}>
        {title} <span className="count">{views.length}</span>
      </h2>
      <ul className={className}>{children}</ul>
    </section>
  );
}
