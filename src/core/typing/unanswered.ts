/** A line or a prompt that was sent with Enter and that the program has not answered yet: until then an old prompt on the screen says nothing. */
import type { TypedLine } from "./typing.ts";

export interface Unanswered {
  /** Its end, at most 200 characters. */
  readonly text: string;
  /** Where and when Enter was pressed. */
  readonly offset: number;
  readonly timeUs: number;
}

const TEXT_CHARS_MAX = 200;

/** `isAgent`: a line that begins with a slash is a command to the agent itself, and no answer follows. */
export function unansweredAfter(
  before: Unanswered | null,
  { lines, offset, timeUs }: { readonly lines: readonly TypedLine[]; readonly offset: number; readonly timeUs: number },
  isAgent: boolean,
): Unanswered | null {
  const sent = lines.findLast(({ text }) => text.trim() !== "" && !(isAgent && text.trimStart().startsWith("/")));
  return sent === undefined ? before : { text: sent.text.slice(-TEXT_CHARS_MAX).trim(), offset, timeUs };
}
