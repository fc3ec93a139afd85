/**
 * Whether somebody reads the answer to what a screen asks. An agent that shows its dialog in its place reads it, however busy it is;
 * of anything else the kernel has to report that the program in the foreground reads.
 *
 * Law: closed on doubt. What is not known to be read is a hint: an answer would go to whatever is asked next, or be run as a command.
 */
import type { Agent } from "../agents/agent.ts";
import { awaitsInput, type ForegroundVerdict } from "../records.ts";

/** Who is in the foreground. */
export interface ReaderContext {
  /** Of the agent in the foreground. */
  readonly profile: Agent | undefined;
  /** It is known only by what it printed, which any program can print. */
  readonly isGuessed?: boolean;
  /** What the kernel reported last about the foreground; null before that. */
  readonly verdict: ForegroundVerdict | null;
  /** Name of the program that it reported. */
  readonly program?: string | null;
  /** That program hands what is typed to another one, which cannot be seen. */
  readonly isRelay?: boolean;
  /** A shell in the foreground reads a command: what is typed is run. */
  readonly isAtShellPrompt: boolean;
}

/**
 * Why nobody is known to read an answer; null if somebody does.
 *
 * @example
 * ```ts
 * whyUnread("line", { profile: undefined, verdict: "busy", program: "sleep", isAtShellPrompt: false });
 * // "sleep is busy and does not read"
 * ```
 */
export function whyUnread(layout: "list" | "buttons" | "keys" | "line", context: ReaderContext): string | null {
  const { profile, verdict, isGuessed = false, isRelay = false, isAtShellPrompt } = context;
  const program = context.program ?? "the program in the foreground";
  const isSilent = verdict === "stopped" || (verdict === "busy" && isGuessed);
  if (profile !== undefined && layout !== "line" && !isSilent) return null;
  if (isAtShellPrompt) return `the shell (${program}) reads its next command and would run the answer`;
  if (isRelay) return `${program} hands keys to a program that cannot be seen`;
  if (verdict === "busy" || verdict === "stopped") return `${program} is ${verdict} and does not read`;
  if (verdict !== null && (awaitsInput(verdict) || verdict === "listening")) return null;
  return `it is not known whether ${program} reads`;
}
