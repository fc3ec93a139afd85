/**
 * Closes calls in the audit log that nothing can continue: a question whose asker was lost with an earlier daemon, and a call whose session
 * ended before its result came. Calls of other executors stay open: they may still run.
 */
import type { AuditRow, ChainedRow } from "../../core/gate/audit-chain.ts";
import type { AuditedCall } from "../../core/gate/audit-fold.ts";
import type { AuditStore } from "../audit/audit-store.ts";

/** Open calls, and rows of one session, that are looked at; older ones stay open. */
const OPEN_MAX = 10_000;
const ROWS_MAX = 1000;

/** Who executes calls that the gateway has passed on, in `start` rows. */
export const AGENT_EXECUTOR = "agent";
/** Who asks for calls of an agent that is not known, in `decision` rows. */
export const UNKNOWN_AGENT = "agent";
/** Who answered a question that nobody can answer any more. */
const ABANDONED = "abandoned";

/** A session behind the gateway. */
interface WiredSession {
  readonly agent: string | null;
  readonly isLive: boolean;
}

/**
 * `sessionOf` is undefined for a session that is not behind the gateway. Questions are closed only with `isStart`, before the first
 * request of a new daemon: later ones have somebody who waits for the answer.
 */
export async function closeLostCalls(
  audit: Pick<AuditStore, "append" | "list" | "openCalls">,
  sessionOf: (session: string) => WiredSession | undefined,
  { isStart }: { readonly isStart: boolean },
): Promise<void> {
  const open = Map.groupBy(await audit.openCalls(OPEN_MAX), ({ session }) => session);
  for (const [session, calls] of open) {
    const wired = sessionOf(session);
    if (wired === undefined) continue;
    const { rows } = await audit.list({ session, from: undefined, limit: ROWS_MAX });
    await audit.append(calls.flatMap((call) => lastRowOf(call, { wired, rows, isStart }) ?? []).slice(0, ROWS_MAX));
  }
}

interface Known {
  readonly wired: WiredSession;
  readonly rows: readonly ChainedRow[];
  readonly isStart: boolean;
}

function lastRowOf({ call, session, stage }: AuditedCall, { isStart, rows, wired }: Known): AuditRow | undefined {
  const subject = { session, call, timeMs: Date.now() };
  const ownRows = rows.flatMap(({ row }) => (row.call === call ? [row] : []));
  if (stage === "undecided" && isStart) {
    const asked = ownRows.findLast((row) => row.type === "decision");
    const isOurs = asked?.type === "decision" && asked.requester === (wired.agent ?? UNKNOWN_AGENT);
    return isOurs ? { type: "answer", ...subject, effect: "deny", approver: ABANDONED } : undefined;
  }
  if (stage !== "unfinished" || wired.isLive) return undefined;
  const started = ownRows.findLast((row) => row.type === "start");
  if (started?.type !== "start" || started.executor !== AGENT_EXECUTOR) return undefined;
  return { type: "outcome", ...subject, result: "unknown", evidence: "the session ended first", outcomeHash: null };
}
