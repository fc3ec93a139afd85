/** The changes of a session, alone or beside those of others with the same prompt. */
import "./tasks.css";
import { useCallback, useState, type ReactElement } from "react";
import type { Session } from "../../client.ts";
import { splitAddress } from "../../protocol/session-address.ts";
import { daemonOn } from "../api.ts";
import { Link } from "../parts/link.tsx";
import { sessionPath } from "../router.ts";
import { referenceOf } from "../sessions/continued.ts";
import { isLive } from "../sessions/session-actions.ts";
import { sessionList } from "../sessions/session-list.ts";
import { useStore } from "../store.ts";
import { useAnswer } from "../use-answer.ts";
import { ChangesView } from "./changes-view.tsx";
import type { DiffLayout } from "./diff-lines.tsx";

const LAYOUT_KEY = "lectern-diff";
/** Columns that one can still read. */
const BESIDE_MAX = 4;

interface ChangesPageProps {
  readonly session: Session;
  readonly query: URLSearchParams;
}

export function ChangesPage({ session, query }: ChangesPageProps): ReactElement {
  const [layout, setLayout] = useState<DiffLayout>(localStorage.getItem(LAYOUT_KEY) === "split" ? "split" : "unified");
  const { views } = useStore(sessionList);
  const group = session.worktree?.group ?? null;
  const ofGroup = views
    .map((view) => view.session)
    .filter((other) => group !== null && other.id !== session.id && other.worktree?.group === group)
    .filter((other) => other.worktree?.repository === session.worktree?.repository);
  const [removals, setRemovals] = useState(0);
  const others = useExisting(ofGroup, { machine: splitAddress(session.id).machine, news: removals });
  const wanted = new Set((query.get("with") ?? "").split(",").filter((name) => name !== ""));
  const beside = others.filter(({ name }) => wanted.has(name)).slice(0, BESIDE_MAX - 1);
  const choose = (next: DiffLayout): void => {
    localStorage.setItem(LAYOUT_KEY, next);
    setLayout(next);
  };
  if (session.worktree === null) {
    return (
      <div className="empty">
        <h2>No worktree</h2>
        <p>
          A session that is started with <code>lectern run --worktree NAME</code>, or as a new task, has its changes
          here.
        </p>
      </div>
    );
  }
  const shownLayout = beside.length > 0 ? "unified" : layout;
  return (
    <div className="changes-page">
      <div className="changes-bar">
        {others.length === 0 ? null : <Compare session={session} others={others} wanted={wanted} />}
        {beside.length > 0 ? null : (
          <div className="switch diff-switch" role="group" aria-label="Layout of changes">
            <button type="button" aria-pressed={layout === "unified"} onClick={() => choose("unified")}>
              Unified
            </button>
            <button type="button" aria-pressed={layout === "split"} onClick={() => choose("split")}>
              Side by side
            </button>
          </div>
        )}
      </div>
      <div className="changes-columns" data-count={beside.length + 1}>
        {[session, ...beside].map((each) => (
          <ChangesView
            key={each.id}
            session={each}
            layout={shownLayout}
            isOneOfSeveral={beside.length > 0}
            onDone={() => setRemovals(removals + 1)}
          />
        ))}
      </div>
    </div>
  );
}

/** Those of a machine whose worktree is still there. It may have been removed when the session had ended, which only the daemon knows. */
function useExisting(
  sessions: readonly Session[],
  { machine, news }: { readonly machine: string | undefined; readonly news: number },
): readonly Session[] {
  const mayBeGone = (session: Session): boolean => !isLive(session) && splitAddress(session.id).machine === machine;
  const asked = sessions
    .filter(mayBeGone)
    .map(({ id }) => id)
    .join(" ");
  const ask = useCallback(
    async (signal: AbortSignal): Promise<readonly string[]> => {
      if (asked === "") return [];
      const { tasks } = await daemonOn(machine).call("tasks.list", {}, { signal });
      return tasks.filter(({ exists }) => exists).map(({ worktree }) => worktree.path);
    },
    [asked, machine],
  );
  const { value: existing = [] } = useAnswer(ask, news);
  return sessions.filter((session) => !mayBeGone(session) || existing.includes(session.worktree?.path ?? ""));
}

interface CompareProps {
  readonly session: Session;
  readonly others: readonly Session[];
  readonly wanted: ReadonlySet<string>;
}

/** Links that show another agent of the same group beside this one, or take it away. */
function Compare({ session, others, wanted }: CompareProps): ReactElement {
  const addressWith = (name: string): string => {
    const names = wanted.has(name) ? [...wanted].filter((each) => each !== name) : [...wanted, name];
    return sessionPath(
      referenceOf(session),
      "changes",
      names.length === 0 ? "" : `with=${names.map(encodeURIComponent).join(",")}`,
    );
  };
  return (
    <nav className="compare" aria-label="Compare with">
      <span className="note">Compare with</span>
      {others.map(({ id, name }) => (
        <Link key={id} to={addressWith(name)} className="chip" isCurrent={wanted.has(name)}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
