/** Pastes for agents that show `[Pasted text #1 +11 lines]` in place of a pasted text. */
import { squash } from "../text/squash.ts";

const placeholder = /\[([^\]\n]*?)(?:\.{3}|…)?\s*[Pp]asted?\b[^\]\n]*?(\d+) lines?[^\]\n]*\]/g;

/**
 * `text` with what was pasted in the places that stand for it.
 * `withPastes("look: [Pasted text #1 +2 lines]", ["a\nb\nc"]); // "look: a\nb\nc"`
 */
export function withPastes(text: string, pastes: readonly string[]): string {
  if (pastes.length === 0 || !/paste/i.test(text)) return text;
  return text.replaceAll(placeholder, (whole: string, beginning: string, lines: string) => {
    const fits = (paste: string): boolean =>
      Math.abs(paste.split("\n").length - Number(lines)) <= 1 && squash(paste).startsWith(squash(beginning));
    return pastes.findLast(fits) ?? whole;
  });
}
