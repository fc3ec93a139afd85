import { eastAsianWidth } from "get-east-asian-width";
import { graphemesOf } from "./graphemes.ts";

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const PRINTABLE_ASCII = /^[\u0020-\u007E]*$/;
/** Cache: width plus one of each code point of the basic plane; 0 if it was not looked up yet. */
const known = new Uint8Array(0x10000);
/** Created with the first non-ASCII grapheme, because V8 takes 30 ms for it. */
let emojiSequence: RegExp | undefined;

/**
 * Columns that a terminal gives to one code point: 0 for combining marks, joiners and other invisible ones, 2 for wide
 * characters and emoji, else 1. Ambiguous characters are narrow. Source: UAX #11.
 */
export function codePointWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x300) return 1;
  const cached = known[codePoint] ?? 0;
  if (cached !== 0) return cached === 1 ? 0 : cached === 2 ? 1 : 2;
  const width = lookUpWidth(codePoint);
  if (codePoint < known.length) known[codePoint] = width + 1;
  return width;
}

function lookUpWidth(codePoint: number): 0 | 1 | 2 {
  if (ZERO_WIDTH.test(String.fromCodePoint(codePoint))) return 0;
  return eastAsianWidth(codePoint);
}

/**
 * Returns the columns that a terminal uses for `text`, which must not contain control characters (see `escapeForDisplay`). A grapheme
 * counts once: an emoji of several joined by U+200D is 2 columns wide, a letter with accents 1.
 *
 * @example
 * ```ts
 * displayWidth("日本"); // 4
 * ```
 */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  emojiSequence ??= /^\p{RGI_Emoji}$/v;
  if (emojiSequence.test(grapheme)) return 2;
  for (const character of grapheme) {
    const width = codePointWidth(character.codePointAt(0) ?? 0);
    if (width > 0) return width;
  }
  return 0;
}

/**
 * Truncates `text` to at most `columnsMax` columns, with `…` in the last one if something was removed. Never splits a grapheme.
 *
 * @example
 * ```ts
 * truncateToWidth("lectern", 4); // "lec…"
 * ```
 */
export function truncateToWidth(text: string, columnsMax: number): string {
  if (displayWidth(text) <= columnsMax) return text;
  if (columnsMax < 1) return "";
  let kept = "";
  let width = 0;
  for (const { segment } of graphemesOf(text)) {
    width += graphemeWidth(segment);
    if (width > columnsMax - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** `text` padded with blanks to `columns`; unchanged if it is as wide already. */
export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}
