/**
 * What there is to report of one session, folded from its statuses in their order. Its state is small and is kept on disk, so that a daemon
 * that was killed continues from the statuses that it has not seen.
 */
import type { SessionStatus, StatusState } from "../../../core/status/status.ts";

/** The part of a status that counts here. */
export interface WatchedStatus extends Pick<SessionStatus, "state" | "sinceUs" | "offset" | "agent"> {
  /** The agent waits for its usage limit, until a time that may be unknown (microseconds since the Unix epoch). */
  readonly limit?: { readonly untilUs: number | null } | null;
}

export interface WatchState {
  /** Of the last status. */
  readonly state: StatusState;
  readonly sinceUs: number;
  /** Where it was in the journal: what comes after it was not seen. */
  readonly offset: number;
  /** Since when it works, or worked before it asked; null if its last turn has ended. */
  readonly workedUs: number | null;
  /** When the last turn ended; null while it works or asks, and if it was too short. */
  readonly doneUs: number | null;
  /** Names the usage limit that it waits for: its end, or since when it is known; null if it does not wait for one. */
  readonly limitUs: number | null;
}

/** What is the case now. The key is the same for the same thing, also in the next daemon. */
export interface Occurrence {
  readonly kind: "blocked" | "done" | "limit";
  readonly key: string;
  readonly sinceUs: number;
}

/** A shell's command that ends sooner is not reported: who typed it is still there. An agent's turn always is. */
const COMMAND_US_MIN = 10_000_000;

export class SessionWatch {
  #state: WatchState | undefined;

  constructor(state?: WatchState) {
    this.#state = state;
  }

  /** Undefined before the first status. */
  get state(): WatchState | undefined {
    return this.#state;
  }

  /** The next status; one that was fed before is ignored. True if something is new. */
  feed(status: WatchedStatus): boolean {
    const before = this.#state;
    const limitUs = status.limit == null ? null : (status.limit.untilUs ?? status.sinceUs);
    if (before !== undefined && status.sinceUs < before.sinceUs) return false;
    const isSame = before?.sinceUs === status.sinceUs && before.state === status.state;
    if (isSame && before.limitUs === limitUs) return false;
    const { offset, state, sinceUs } = status;
    this.#state = { state, sinceUs, offset, limitUs, ...turnAfter(before, status) };
    return true;
  }

  /** A prompt was answered to its end, which says more than the statuses of a short turn. */
  turnEnded(): void {
    const state = this.#state;
    if (state === undefined || state.doneUs !== null || !isResting(state.state)) return;
    this.#state = { ...state, workedUs: null, doneUs: state.sinceUs };
  }

  /** `question`: the id of the oldest question that waits; null if none does. */
  current(question: { readonly id: string; readonly sinceUs: number } | null): Occurrence | null {
    if (question !== null) return { kind: "blocked", key: `question ${question.id}`, sinceUs: question.sinceUs };
    const state = this.#state;
    if (state === undefined) return null;
    const { doneUs, limitUs, sinceUs } = state;
    if (state.state === "blocked") return { kind: "blocked", key: `blocked ${sinceUs}`, sinceUs };
    if (limitUs !== null) return { kind: "limit", key: `limit ${limitUs}`, sinceUs };
    return doneUs === null ? null : { kind: "done", key: `done ${doneUs}`, sinceUs: doneUs };
  }
}

const isResting = (state: StatusState): boolean => state === "waiting" || state === "idle";

function turnAfter(
  before: WatchState | undefined,
  { agent, sinceUs, state }: WatchedStatus,
): Pick<WatchState, "workedUs" | "doneUs"> {
  const { workedUs = null, doneUs = null } = before ?? {};
  if (state === "working") return { workedUs: workedUs ?? sinceUs, doneUs: null };
  if (state === "blocked" || state === "exited") return { workedUs, doneUs: null };
  if (!isResting(state)) return { workedUs, doneUs };
  if (workedUs === null) return { workedUs, doneUs };
  const counts = agent !== null || sinceUs - workedUs >= COMMAND_US_MIN;
  return { workedUs: null, doneUs: counts ? sinceUs : null };
}
