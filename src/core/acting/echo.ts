/** Whether a text that was typed stands on the screen, however the program draws it. */

/** The end of a text is enough to know it by: its beginning may have left the screen. */
const tailCharsMax = 24;
/** Blanks, and what programs draw around and beside their input: bars, rules, corners, prompts. */
const decoration = /[\s\u2500-\u259F|>❯›»$#%]+/gu;
/** What several agents show for a text of many lines. */
const pastePlaceholder = /\[[^\]\n]*pasted[^\]\n]*\]/giu;

const bare = (text: string): string => text.replaceAll(decoration, "");

/** Nothing of it is left without decoration: it cannot be told from what programs draw themselves. */
export const isDecoration = (text: string): boolean => bare(text) === "";

/**
 * How often the end of `typed` stands on the screen, wrapped or not, or a placeholder of a paste. Compared before and after typing.
 *
 * @example
 * ```ts
 * countEchoes("│ > say hello │", "say hello"); // 1
 * ```
 */
export function countEchoes(screen: string, typed: string): number {
  const tail = bare(typed).slice(-tailCharsMax);
  const isLong = typed.includes("\n") || typed.length > 200;
  const placeholders = isLong ? [...screen.matchAll(pastePlaceholder)].length : 0;
  return placeholders + (tail === "" ? 0 : bare(screen).split(tail).length - 1);
}
