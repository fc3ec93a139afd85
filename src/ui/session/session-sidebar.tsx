import { memo, type ReactElement } from "react";
import { GateMark } from "../parts/gate-mark.tsx";
import { SandboxMark } from "../parts/sandbox-mark.tsx";
import { Link } from "../parts/link.tsx";
import { StandingMark } from "../sessions/standing-mark.tsx";
import { Ago } from "../parts/time.tsx";
import { sessionPath } from "../router.ts";
import { groupSessions, type ListedSession } from "../sessions/attention.ts";
import { referenceOf } from "../sessions/continued.ts";
import { sessionList } from "../sessions/session-list.ts";
import { Sparkline } from "../sessions/sparkline.tsx";
import { useStore } from "../store.ts";

/** The short list of sessions. */
export function SessionSidebar({ current }: { readonly current: string | undefined }): ReactElement {
  const { views } = useStore(sessionList);
  return (
    <nav className="sidebar" aria-label="Sessions">
      {groupSessions(views).map(({ key, title, views: members }) => (
        <section key={key} data-group={key}>
          <h2>{title}</h2>
          <ul>
            {members.map((view) => (
              <SidebarItem key={view.session.id} view={view} isCurrent={view.session.id === current} />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

interface SidebarItemProps {
  readonly view: ListedSession;
  readonly isCurrent: boolean;
}

const SidebarItem = memo(function SidebarItem({ view, isCurrent }: SidebarItemProps): ReactElement {
  const { session, standing, sinceMs, activity } = view;
  return (
    <li>
      <Link to={sessionPath(referenceOf(session))} className="sidebar-item" isCurrent={isCurrent}>
        <StandingMark standing={standing} isShort />
        <span className="sidebar-name truncate">{session.name}</span>
        <GateMark gate={session.gate} />
        <SandboxMark sandbox={session.sandbox} />
        {activity.length > 0 ? <Sparkline samples={activity} /> : null}
        <span className="sidebar-time note">{sinceMs === undefined ? null : <Ago sinceMs={sinceMs} />}</span>
      </Link>
    </li>
  );
});
