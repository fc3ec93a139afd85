/** The proof before Enter: what was typed, and nothing else, stands where it was typed, however the program draws it. */
import type { FoldUnit } from "../agents/agent.ts";
import type { Draft } from "./draft.ts";

/** The end of a text is enough to know it by: its beginning may have left the screen, and a line editor scrolls a long line. */
export const TAIL_CHARS_MAX = 24;
const HEAD_CHARS_MAX = 16;
/** A box that shows fewer rows shows all of its text. */
const TALL_ROWS_MIN = 3;
/** What terminals and agents draw in several ways: blanks, characters without a width, bars and corners. */
const unsteady = /[\s\p{C}\uFE00-\uFE0F\u2500-\u259F]+/gu;
/** What programs draw around and beside their input: bars, rules, corners, prompts. */
const decoration = /[\s\u2500-\u259F|>❯›»$#%]+/gu;
/** What several agents show for a text of many lines. */
const pastePlaceholder = /\[[^\]\n]*pasted[^\]\n]*\]/giu;

export const ink = (text: string): string => text.replaceAll(unsteady, "");

/** What a screen shows of a line, and where its cursor is. */
export interface LineRows {
  readonly text: string;
  /** Cells of the session in front of it. */
  readonly cursor: number;
}

/** What is seen where a text was typed, by how its program reads. `rows`: those of a line editor, and what they may be. */
export type Sight =
  | { readonly place: "rows"; readonly shown: LineRows; readonly wanted: readonly LineRows[] }
  | (Pick<Draft, "place" | "text" | "rows" | "fold"> & {
      readonly typed: string;
      readonly screen: string;
      readonly echoes: number;
    });

/** The box or the line holds what was typed, or its end stands on the screen once more than before. */
export function isShown(seen: Sight): boolean {
  if (seen.place === "rows")
    return seen.wanted.some(({ text, cursor }) => text === seen.shown.text && cursor === seen.shown.cursor);
  const { place, text, typed, screen, echoes } = seen;
  if (place === "box") return holdsPrompt(seen, typed);
  // The line was seen empty before: what keys did without a line may stand in front of the text.
  const isBehind = ink(typed) === "" ? isSameText(text, typed) : ink(text).endsWith(ink(typed));
  return (place === "line" && text.trim() !== "" && isBehind) || countEchoes(screen, typed) > echoes;
}

/**
 * How often the end of `typed` stands on the screen, wrapped or not, or a placeholder of a paste. Compared before and after typing.
 *
 * @example
 * ```ts
 * countEchoes("│ > say hello │", "say hello"); // 1
 * ```
 */
export function countEchoes(screen: string, typed: string): number {
  const tail = bare(typed).slice(-TAIL_CHARS_MAX);
  // It cannot be told from what programs draw themselves.
  if (tail === "") return 0;
  const isLong = typed.includes("\n") || typed.length > 200;
  return (isLong ? [...screen.matchAll(pastePlaceholder)].length : 0) + bare(screen).split(tail).length - 1;
}

const bare = (text: string): string => text.replaceAll(decoration, "");

/** The box holds this text and nothing else: wrapped, as the agent's own sign of a paste of its size, or as the end that a tall box shows. */
export function holdsPrompt({ text, rows, fold }: Pick<Draft, "text" | "rows" | "fold">, prompt: string): boolean {
  const wanted = ink(prompt);
  if (wanted === "") return isSameText(text, prompt);
  const shown = ink(text);
  if (shown === wanted) return true;
  // Some agents list the commands that begin so inside of the box, above the text.
  const lastRow = ink(text.split("\n").at(-1) ?? "");
  if (/^[/@]/.test(wanted) && lastRow === wanted) return true;
  if (fold !== null) return holdsFolded(fold, prompt);
  return rows >= TALL_ROWS_MIN && shown.length >= TAIL_CHARS_MAX && wanted.endsWith(shown);
}

/** The box holds this text if it is short, else its beginning, whatever stands behind it: other texts begin like a short one. */
export function holdsHeadOf({ text, fold }: Draft, prompt: string): boolean {
  const wanted = ink(prompt);
  if (wanted.length > HEAD_CHARS_MAX && fold === null) return ink(text).startsWith(wanted.slice(0, HEAD_CHARS_MAX));
  return text !== "" && holdsPrompt({ text, fold, rows: 0 }, prompt);
}

/** A sign says how much it stands for, and what is shown beside it is the beginning and the end of the text. */
function holdsFolded({ before, after, unit, count }: NonNullable<Draft["fold"]>, prompt: string): boolean {
  const [wanted, head, tail] = [ink(prompt), ink(before), ink(after)];
  if (head === "" && tail === "") return [prompt, prompt.trim()].some((text) => sizesOf(text, unit).includes(count));
  return head.length + tail.length <= wanted.length && wanted.startsWith(head) && wanted.endsWith(tail);
}

function sizesOf(text: string, unit: FoldUnit): number[] {
  const breaks = text.split("\n").length - 1;
  // Programs count characters in their own way.
  return unit === "characters" ? [text.length, [...text].length] : [unit === "lines" ? breaks + 1 : breaks];
}

const isSameText = (one: string, two: string): boolean => one.trim() !== "" && one.trim() === two.trim();
