/**
 * Whether a program reads the answer to a question on the screen. An agent that shows its dialog in its known place does, however busy it
 * is; for anything else the kernel must report that the foreground program reads.
 *
 * Law: when in doubt, it is not read. Such a question is a hint: an answer would go to the next question, or be run as a command.
 */
import type { Agent } from "../agents/agent.ts";
import { awaitsInput, type ForegroundVerdict } from "../records.ts";
import type { Dialog } from "./dialog.ts";

/** What is known of the program in the foreground. */
export interface ReaderContext {
  /** The rules of the agent in the foreground; undefined for any other program. */
  readonly profile: Agent | undefined;
  /** The agent is known only by what was printed, which any program can print. Default false. */
  readonly isGuessed?: boolean;
  /** What the kernel reported last about the foreground; null before that. */
  readonly verdict: ForegroundVerdict | null;
  /** The terminal collects lines; false if the program takes each key, whether it reads now or not. Null or missing if that is not known. */
  readonly canonical?: boolean | null;
  /** Name of the foreground program that the kernel reported; null if it is not known. */
  readonly program?: string | null;
  /** The foreground program passes its input on to another one that cannot be probed, as ssh does. Default false. */
  readonly isRelay?: boolean;
  /** A shell in the foreground reads a command: what is typed is run. */
  readonly isAtShellPrompt: boolean;
}

/** The program takes each key, also while the kernel sees that it waits for other things, too (`listening`). */
export const takesKeys = ({ canonical, verdict }: Pick<ReaderContext, "canonical" | "verdict">): boolean =>
  verdict === "raw" || (verdict === "listening" && canonical === false);

/** Why no program is known to read an answer, for people; null if one does. */
export function whyUnread(layout: Dialog["layout"], context: ReaderContext): string | null {
  const { profile, verdict, isGuessed = false, isRelay = false, isAtShellPrompt } = context;
  const program = context.program ?? "the program in the foreground";
  const isSilent = verdict === "stopped" || (verdict === "busy" && isGuessed);
  if (profile !== undefined && layout !== "line" && !isSilent) return null;
  if (isAtShellPrompt) return `the shell (${program}) reads its next command and would run the answer`;
  if (isRelay) return `${program} hands keys to a program that cannot be seen`;
  if (verdict === "busy" || verdict === "stopped") return `${program} is ${verdict} and does not read`;
  if (layout === "unknown") return `it is not known which keys ${program} takes for what`;
  if (verdict !== null && (awaitsInput(verdict) || verdict === "listening")) return null;
  return `it is not known whether ${program} reads`;
}
