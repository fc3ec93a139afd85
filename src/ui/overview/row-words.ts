import { escapeForDisplay } from "../../core/text/escape.ts";
import { limitText } from "../../core/status/limit-text.ts";
import { exitWords } from "../parts/text.ts";
import type { ListedSession } from "../sessions/attention.ts";

/** A problem that prevents answers, else the question, another problem, how the session ended, a limit of usage, or the last message. */
export function rowWords({ session, question, summary }: ListedSession, nowMs: number = Date.now()): string {
  if (session.unreachable !== null) return `Unreachable: ${escapeForDisplay(session.unreachable)}`;
  if (question !== undefined) return escapeForDisplay(question);
  if (session.degraded !== null) return escapeForDisplay(session.degraded);
  if (session.damaged !== null) return escapeForDisplay(session.damaged);
  if (session.exit !== null && !session.isImported) return exitWords(session.exit);
  if (session.status?.limit !== undefined) return limitText(session.status.limit, nowMs);
  return escapeForDisplay(session.lastMessage?.text ?? summary ?? (session.isImported ? "" : session.workingDirectory));
}
