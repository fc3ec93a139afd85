import { eastAsianWidth } from "get-east-asian-width";
import { graphemesOf } from "./graphemes.ts";

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** Characters that are graphemes of their own, whatever stands beside them: UAX #29 gives them the class Other or Hangul LV and LVT. */
const STANDS_ALONE =
  /^[\u0020-\u007E\u00A0-\u00AC\u00AE-\u02FF\u0400-\u0482\u2010-\u2027\u2030-\u205E\u2190-\u2BFF\u3000-\u3029\u3041-\u3096\u30A0-\u30FF\u4E00-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60]$/;
/** By code unit: the columns of such a character plus two, 1 for one that does not stand alone, 0 for one that was not looked up yet. */
const aloneWidths = new Uint8Array(0x10000);
/** Width plus one of each code point of the basic plane that was looked up; 0 where it was not yet. */
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
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const alone = aloneWidths[unit] || lookUpAlone(unit);
    if (alone === 1) return widthOfGraphemes(text);
    sum += alone - 2;
  }
  return sum;
}

function lookUpAlone(unit: number): number {
  const character = String.fromCharCode(unit);
  const alone = STANDS_ALONE.test(character) ? graphemeWidth(character) + 2 : 1;
  aloneWidths[unit] = alone;
  return alone;
}

function widthOfGraphemes(text: string): number {
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
