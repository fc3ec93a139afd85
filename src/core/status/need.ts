/** What a session needs of a person: the one rule for lists, badges and notifications. */
import type { SessionStatus } from "./status.ts";

/**
 * - `answer`: it asks a question and cannot go on
 * - `prompt`: an agent has finished its turn and waits for the next prompt
 * - `nothing`: anything else, also a shell, an editor or a REPL at its prompt
 */
export type Need = "answer" | "prompt" | "nothing";

export function needOf({ state, agent }: Pick<SessionStatus, "state" | "agent">): Need {
  if (state === "blocked") return "answer";
  return state === "waiting" && agent !== null ? "prompt" : "nothing";
}
