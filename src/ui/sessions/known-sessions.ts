/** All sessions, from the updates of the daemon. Pure; unchanged sessions keep their identity. */
import type { Session, DaemonUpdate } from "../../client.ts";
import type { SessionApproval } from "../../protocol/views.ts";

export interface KnownSessions {
  /** By id. */
  readonly sessions: ReadonlyMap<string, Session>;
  /** Open questions. */
  readonly approvals: readonly SessionApproval[];
  /** Questions that nobody is known to read. */
  readonly hints: readonly SessionApproval[];
}

export const nothingKnown: KnownSessions = { sessions: new Map(), approvals: [], hints: [] };

export function learn(known: KnownSessions, updates: readonly DaemonUpdate[]): KnownSessions {
  const sessions = new Map(known.sessions);
  let { approvals, hints } = known;
  for (const update of updates) {
    if (update.kind === "list" || update.kind === "approvals") ({ approvals, hints } = update);
    if (update.kind === "list") {
      sessions.clear();
      for (const session of update.sessions) sessions.set(session.id, session);
    } else if (update.kind === "session") {
      if (update.view === null) sessions.delete(update.session);
      else sessions.set(update.session, update.view);
    } else if (update.kind === "activity" || update.kind === "status") {
      // Changes of a removed session are ignored.
      const before = sessions.get(update.session);
      if (before !== undefined) sessions.set(before.id, { ...before, ...partOf(update) });
    }
  }
  return { sessions, approvals, hints };
}

function partOf(update: Extract<DaemonUpdate, { readonly kind: "activity" | "status" }>): Partial<Session> {
  if (update.kind === "activity") {
    const { kind: _, session: __, ...activity } = update;
    return activity;
  }
  const { state, summary, sinceUs, agent } = update.status;
  return { status: { state, summary, sinceUs, agent } };
}
