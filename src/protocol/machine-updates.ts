/** Updates of another machine as updates of this one: ids and names of sessions have the machine in front, so that they are references here. */
import type { Session } from "./session.ts";
import { joinAddress } from "./session-address.ts";
import type { DaemonUpdate, LocalUpdate, SessionApproval } from "./views.ts";

/** A session of a machine, with the id and the name that it has here. */
export const sessionOn = (machine: string, session: Session): Session => ({
  ...session,
  id: joinAddress({ machine, session: session.id }),
  name: joinAddress({ machine, session: session.name }),
  parent: idOn(machine, session.parent),
  continues: idOn(machine, session.continues),
  continuedBy: idOn(machine, session.continuedBy),
});

const idOn = (machine: string, session: string | null): string | null =>
  session === null ? null : joinAddress({ machine, session });

/** An update of a machine's own sessions, as one of this daemon. */
export function updateOn(machine: string, update: LocalUpdate): DaemonUpdate {
  const approvalsOn = (approvals: readonly SessionApproval[]): SessionApproval[] =>
    approvals.map((approval) => ({ ...approval, session: joinAddress({ machine, session: approval.session }) }));
  switch (update.kind) {
    case "audit":
      return { ...update, machine };
    case "list":
    case "approvals": {
      const shown = { approvals: approvalsOn(update.approvals), hints: approvalsOn(update.hints), machine };
      if (update.kind === "approvals") return { ...update, ...shown };
      return { ...update, ...shown, sessions: update.sessions.map((session) => sessionOn(machine, session)) };
    }
    case "session": {
      const view = update.view === null ? null : sessionOn(machine, update.view);
      return { ...update, machine, session: joinAddress({ machine, session: update.session }), view };
    }
    default:
      return { ...update, machine, session: joinAddress({ machine, session: update.session }) };
  }
}
