/** Messages that were taken back. */
import type { ChatMessage } from "./message.ts";

/**
 * True for a message that was told and then found to be none: its text became empty, of a `shell` message its command as well.
 */
export const isWithdrawn = ({
  text,
  rawText,
  isPartial,
  shell,
}: Pick<ChatMessage, "text" | "rawText" | "isPartial" | "shell">): boolean =>
  !isPartial && text === "" && rawText === undefined && (shell === undefined || shell.command === "");

/** Without the withdrawn ones; who read up to `after` may have some that began before it, and is told that they went. */
export const shownMessages = (messages: readonly ChatMessage[], after: number): ChatMessage[] =>
  messages.filter((message) => !isWithdrawn(message) || message.offset < after);
