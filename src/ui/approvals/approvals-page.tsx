/** All open questions of all sessions. */
import { type ReactElement } from "react";
import { Empty } from "../parts/empty.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Link } from "../parts/link.tsx";
import { Ago } from "../parts/time.tsx";
import { sessionPath } from "../router.ts";
import { sessionList } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { ApprovalCard } from "./approval-card.tsx";

export function ApprovalsPage(): ReactElement {
  const { approvals, hints, isLoaded, views } = useStore(sessionList);
  const shown = [...approvals, ...hints];
  return (
    <main className="page narrow" id="main">
      <PageHead title="Questions">
        <p className="counts">{approvals.length === 0 ? "" : `${approvals.length} open`}</p>
      </PageHead>
      {isLoaded && shown.length === 0 ? (
        <Empty title="No open questions" command="lectern approvals">
          <p>When an agent asks for permission, its question appears here with its exact options. From a terminal:</p>
        </Empty>
      ) : null}
      <ul className="approvals">
        {shown.map((approval) => {
          const name = views.find(({ session }) => session.id === approval.session)?.session.name ?? approval.session;
          return (
            <li key={`${approval.session} ${approval.id}`}>
              <p className="approvals-from">
                <Link to={sessionPath(name, "chat")}>{name}</Link>
                <Ago sinceMs={approval.timeUs / 1000} />
              </p>
              <ApprovalCard approval={approval} session={approval.session} />
            </li>
          );
        })}
      </ul>
    </main>
  );
}
