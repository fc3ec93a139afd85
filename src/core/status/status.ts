/** What a program is doing, as a view of its journal tells it: always with the evidence, and `unknown` where there is none. */

/**
 * - `starting`: the program has not yet shown that it takes input
 * - `working`: does something
 * - `waiting`: at its prompt, wants the next input
 * - `blocked`: asks a person something that must be answered first: a permission, a question, trust, a login
 * - `idle`: does nothing and is not known to want input: a server, `tail -f`
 * - `exited`: the program has ended
 * - `unknown`: nothing says, or what says it contradicts itself
 */
export const STATUS_STATES = ["starting", "working", "waiting", "blocked", "idle", "exited", "unknown"] as const;
/** What a session does; docs/status.md explains each state. */
export type StatusState = (typeof STATUS_STATES)[number];

/** Where a word about the state came from, most trusted first. */
export const SIGNAL_KINDS = [
  "exit",
  "protocol",
  "wire",
  "osc-7501",
  "osc-9-4",
  "osc-21337",
  "title",
  "agent-file",
  "osc-133",
  "foreground",
  "screen",
  "input",
  "quiet",
] as const;
/** The source of a piece of evidence, most trusted first. */
export type SignalKind = (typeof SIGNAL_KINDS)[number];

/** One signal and the state that it indicates. */
export interface Evidence {
  readonly signal: SignalKind;
  readonly says: StatusState;
  /** What was seen, in words of the screen or the sequence; at most 200 characters. */
  readonly text: string;
  /** The rules that read it, as `name@version`, with `+` if a user's own file changes them; null where there is no rule file behind it. */
  readonly rule: string | null;
  readonly offset: number;
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number;
  /** False where a better signal said something else: kept, so that a conflict can be seen. */
  readonly isDecisive: boolean;
}

/** A limit of usage of an agent. */
export interface UsageLimit {
  /** When it ends, microseconds since the Unix epoch; null if that is not known. */
  readonly untilUs: number | null;
  /** The words of the agent or of the model server, at most 200 characters. */
  readonly text: string;
}

/** The state of a session, since when it holds, and the evidence for it. */
export interface SessionStatus {
  readonly state: StatusState;
  /** In one line: what it waits for, the question, the exit code. */
  readonly summary: string;
  /** Since when, microseconds since the Unix epoch, and the offset that began it. */
  readonly sinceUs: number;
  readonly offset: number;
  /** The agent in the foreground, by its profile's name; null for a shell or an unknown program. */
  readonly agent: string | null;
  /** The approval that blocks; null where none does. */
  readonly approval: string | null;
  readonly evidence: readonly Evidence[];
  /** The agent waits because a limit of usage is reached. Absent without one, and while it works. */
  readonly limit?: UsageLimit;
}
