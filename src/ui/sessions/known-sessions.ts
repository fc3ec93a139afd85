/** All sessions, from the updates of the daemon. Pure; unchanged sessions keep their identity. */
import type { Session, DaemonUpdate } from "../../client.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import { splitAddress } from "../../protocol/session-address.ts";
import type { SessionApproval } from "../../protocol/views.ts";

export interface KnownSessions {
  /** By id. */
  readonly sessions: ReadonlyMap<string, Session>;
  /** Open questions. */
  readonly approvals: readonly SessionApproval[];
  /** Questions that nobody is known to read. */
  readonly hints: readonly SessionApproval[];
  /** Other machines, by name. */
  readonly machines: ReadonlyMap<string, MachineInfo>;
}

export const nothingKnown: KnownSessions = { sessions: new Map(), approvals: [], hints: [], machines: new Map() };

export function learn(known: KnownSessions, updates: readonly DaemonUpdate[]): KnownSessions {
  const sessions = new Map(known.sessions);
  const machines = new Map(known.machines);
  let { approvals, hints } = known;
  const forget = (isForgotten: (reference: string) => boolean): void => {
    for (const id of sessions.keys()) if (isForgotten(id)) sessions.delete(id);
  };
  const learnQuestions = (update: Questions, isReplaced: (reference: string) => boolean): void => {
    approvals = [...approvals.filter(({ session }) => !isReplaced(session)), ...update.approvals];
    hints = [...hints.filter(({ session }) => !isReplaced(session)), ...update.hints];
  };
  for (const update of updates) {
    if (update.kind === "list") {
      if (update.machine === undefined) {
        machines.clear();
        for (const machine of update.machines ?? []) machines.set(machine.name, machine);
      }
      // What is known of a machine stays until its own list comes.
      const isReplaced = update.machine === undefined ? isOnNoneOf(machines) : isOn(update.machine);
      forget(isReplaced);
      learnQuestions(update, isReplaced);
      for (const session of update.sessions) sessions.set(session.id, session);
    } else if (update.kind === "approvals") {
      learnQuestions(update, isOn(update.machine));
    } else if (update.kind === "machine") {
      if (update.view !== null) machines.set(update.machine, update.view);
      else {
        machines.delete(update.machine);
        forget(isOn(update.machine));
        learnQuestions({ approvals: [], hints: [] }, isOn(update.machine));
      }
    } else if (update.kind === "session") {
      if (update.view === null) sessions.delete(update.session);
      else sessions.set(update.session, update.view);
    } else if (update.kind === "activity" || update.kind === "status") {
      // Changes of a removed session are ignored.
      const before = sessions.get(update.session);
      if (before !== undefined) sessions.set(before.id, { ...before, ...partOf(update) });
    }
  }
  return { sessions, approvals, hints, machines };
}

type Questions = Pick<KnownSessions, "approvals" | "hints">;

const isOn =
  (machine: string | undefined) =>
  (reference: string): boolean =>
    splitAddress(reference).machine === machine;

const isOnNoneOf =
  (machines: ReadonlyMap<string, MachineInfo>) =>
  (reference: string): boolean => {
    const { machine } = splitAddress(reference);
    return machine === undefined || !machines.has(machine);
  };

/** False for what is on a machine that does not answer: what was known of it may not be true any more. */
export function isReachable({ machines }: Pick<KnownSessions, "machines">, reference: string): boolean {
  const { machine } = splitAddress(reference);
  return machine === undefined || machines.get(machine)?.state === "connected";
}

function partOf(update: Extract<DaemonUpdate, { readonly kind: "activity" | "status" }>): Partial<Session> {
  if (update.kind === "activity") {
    const { kind: _, session: __, machine: ___, ...activity } = update;
    return activity;
  }
  const { state, summary, sinceUs, agent, limit } = update.status;
  return { status: { state, summary, sinceUs, agent, ...(limit !== undefined && { limit }) } };
}
