/** What ends a wait for a program, and what the program waits for then. */

/**
 * Why a wait ended, best evidence first.
 * - `mark`: a mark of the shell
 * - `foreground`: the kernel reports that the program waits for this terminal, has read its input, and its output was read
 * - `marker`: the text ends with a ready marker, and nothing followed within `settleMs`
 * - `quiet`: no output for `quietMs`
 * - `timeout`, `exit`, `limit`: not ready; the time limit, the end of the program, or the limit on output
 */
export type ReadyReason = "mark" | "foreground" | "marker" | "quiet" | "timeout" | "exit" | "limit";

/**
 * What the program waits for.
 * - `command`: a command, at its prompt
 * - `more`: the rest of an incomplete command
 * - `line`: a line, which it echoes
 * - `password`: a line without echo
 * - `keys`: keys, as a line editor or a full-screen program
 */
export type Asks = "command" | "more" | "line" | "password" | "keys";

export interface Readiness {
  readonly reason: ReadyReason;
  /** Null if it is not known, or if the program does not wait for a person. */
  readonly asks: Asks | null;
}

/** False if the wait ended without the program being ready. */
export const isReady = ({ reason }: Readiness): boolean =>
  reason !== "timeout" && reason !== "exit" && reason !== "limit";
