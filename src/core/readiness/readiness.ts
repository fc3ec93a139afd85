/** What ends a wait for a program, and what the program waits for then. */

/**
 * The reason why a wait ended, from the best evidence to none.
 * - `mark`: the shell reported it, with a mark
 * - `foreground`: the kernel reported it: the program waits for this terminal, has read its input, and its output is read
 * - `marker`: the text ends with a ready marker, and nothing came for the time to settle
 * - `quiet`: nothing came for a while
 * - `timeout`, `exit`, `limit`: not ready; the time was over, the program ended, or more came than was wanted
 */
export type ReadyReason = "mark" | "foreground" | "marker" | "quiet" | "timeout" | "exit" | "limit";

/**
 * What the program waits for, as far as it is known.
 * - `command`: it is at its prompt
 * - `more`: the rest of a command that is not complete
 * - `line`: a line, which it will echo
 * - `password`: a line that it will not echo
 * - `keys`: keys, in a mode of its own: a line editor, or a program on the whole screen
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
