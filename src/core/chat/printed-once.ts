/** For agents that print what ran while they still draw it, and leave copies of an answer behind when the terminal is resized. */
import type { Block } from "./blocks.ts";
import { squash } from "../text/squash.ts";

/** Two answers that have so many characters in common at their beginning are one. */
const COPY_CHARS_MIN = 40;

/**
 * Without calls, and their results, that were shown since the last text, and without answers that go on in the next one. `before`: what
 * was said since the last text in front of the blocks.
 */
export function printedOnce(all: readonly Block[], before: readonly string[]): Block[] {
  const seen = new Set(before.map(squash));
  let isAgain = false;
  return all
    .filter((block, index) => !isCopied(block, all[index + 1]))
    .filter(({ role, text }) => {
      if (isText(role)) seen.clear();
      if (role !== "tool-result") isAgain = role === "tool-call" && seen.has(squash(text));
      if (role === "tool-call") seen.add(squash(text));
      return !isAgain;
    });
}

export const isText = (role: string | undefined): boolean => role === "user" || role === "assistant";

/** A resize leaves behind what was drawn of an answer. */
function isCopied({ role, text }: Block, next: Block | undefined): boolean {
  if (role !== "assistant" || next?.role !== role) return false;
  const own = squash(text).slice(0, COPY_CHARS_MIN);
  return own.length === COPY_CHARS_MIN && squash(next.text).startsWith(own);
}
