/**
 * Where rows that were wrapped for another width stand in what is shown now: by their letters, since none of the rows is the same.
 *
 * After a resize agents print what they said anew. Where none of what begins a message is shown, only its text tells where it belongs.
 */
import type { Row } from "./row.ts";

export interface Rewrapped {
  /** The known row that the first row shown is in, and what of it stands before that; empty where it begins there. */
  readonly index: number;
  readonly before: string;
  /** The first of the shown rows that is known. */
  readonly from: number;
  /** All that is shown is known, and more is. */
  readonly isPart: boolean;
  /** The known row behind all that is the same. */
  readonly end: number;
}

/** So many letters must be the same. */
const lettersMin = 24;
/** A shorter row may be the same by chance. */
const rowLettersMin = 8;
/** So many rows in front may be others. */
const otherRowsMax = 12;

/** The place at which most is the same, the last one of several; null where there is none. */
export function findRewrapped(known: readonly Row[], shown: readonly Row[]): Rewrapped | null {
  const text = known.map(letters);
  const starts = startsOf(text);
  const all = text.join("");
  const own = shown.map(letters);
  for (let from = 0; from < Math.min(shown.length, otherRowsMax); from += 1) {
    const first = own[from] ?? "";
    if (first === "") continue;
    const wanted = own.slice(from).join("");
    if (wanted.length < lettersMin) return null;
    const found = bestPlace(all, wanted);
    // The first row is the same to its end, or to the end of what is known.
    if (found === null || (found.length < first.length && found.at + found.length < all.length)) continue;
    const index = starts.findLastIndex((start, row) => start <= found.at && text[row] !== "");
    const rest = found.at - (starts[index] ?? 0);
    const end = starts.findIndex((start) => start >= found.at + found.length);
    return {
      index,
      before: firstLetters(known[index]?.text ?? "", rest),
      from,
      isPart:
        found.length === wanted.length && found.at + found.length < all.length && own.slice(0, from).join("") === "",
      end: end === -1 ? known.length : end,
    };
  }
  return null;
}

/** Returns whether the letters of any of `rows` are in `known`, however they are wrapped there. */
export function hasLettersOf(known: readonly Row[], rows: readonly Row[]): boolean {
  const all = known.map(letters).join("");
  return rows.map(letters).some((own) => own.length >= rowLettersMin && all.includes(own));
}

function bestPlace(all: string, wanted: string): { readonly at: number; readonly length: number } | null {
  const needle = wanted.slice(0, lettersMin);
  let best: { at: number; length: number } | null = null;
  for (let at = all.indexOf(needle); at !== -1; at = all.indexOf(needle, at + 1)) {
    let length = needle.length;
    while (length < wanted.length && all[at + length] === wanted[length]) length += 1;
    if (best === null || length >= best.length) best = { at, length };
  }
  return best;
}

/** What is said in a row, without what a wrap changes. */
function letters({ role, text }: Row): string {
  if (role === "blank" || role === "skip" || role === "notice" || role === "covered" || role === "gap") return "";
  return text.replaceAll(/\s+/g, "");
}

function startsOf(texts: readonly string[]): number[] {
  let at = 0;
  return texts.map((text) => {
    const start = at;
    at += text.length;
    return start;
  });
}

/** `text` as far as it has `count` letters. */
function firstLetters(text: string, count: number): string {
  let end = 0;
  for (let rest = count; rest > 0 && end < text.length; end += 1) if (/\S/.test(text[end] ?? "")) rest -= 1;
  return text.slice(0, end);
}
