/**
 * The columns of text in a terminal: the only such function, for the emulator, the page's terminals, lines of output and frames. What it
 * follows where tmux and wcwidth differ is in docs/decisions/widths.md; `test/widths.test.ts` compares it with both.
 */
import { eastAsianWidth } from "get-east-asian-width";

/** Shown by nothing of its own: marks, joiners, format characters, fillers, and the vowels and finals of a Hangul syllable. */
const NO_COLUMN = /^[\p{Mn}\p{Me}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u1160-\u11FF\uD7B0-\uD7FB]$/u;
/** Format characters that are drawn: soft hyphens, the filler of an initial, and signs that enclose the number behind them. */
const DRAWN_FORMAT = /^[\u00AD\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u115F\u{110BD}\u{110CD}]$/u;
const JOINER = 0x200d;
const EMOJI_STYLE = 0xfe0f;

/**
 * A code point in its cluster, in the packed form of xterm.js: bit 0 is set if it joins the cell of the code point before it, bits 1 and 2
 * are the columns of the cluster so far, and the bits from 3 on say what may join next.
 */
export type ClusterStep = number;

const JOINS = 1;
const WIDTH_SHIFT = 1;
const PICTOGRAPH = 1 << 3;
/** Narrow, and an emoji of two columns with U+FE0F behind it. */
const HAS_EMOJI_STYLE = 1 << 4;
const TAKES_SKIN_TONE = 1 << 5;
const HALF_FLAG = 1 << 6;
/** A pictograph and a joiner. Only in a step: the classes of code points have bits up to 6. */
const JOINED_PICTOGRAPH = 1 << 7;

/** The first step of each code point that was looked up; 0 for the others. */
const classes = new Uint8Array(0x20000);

/**
 * The step of `codePoint` behind a code point with the step `preceding`; 0 is the step of nothing, or of a control sequence.
 * `columnsOf(clusterStep(0xfe0f, clusterStep(0x2764, 0))); // 2, a heart in emoji style`
 */
export function clusterStep(codePoint: number, preceding: ClusterStep): ClusterStep {
  const own = classes[codePoint] || classOf(codePoint);
  if ((own & JOINS) !== 0) return markStep(codePoint, preceding);
  if (preceding < TAKES_SKIN_TONE || !joinsCharacter(codePoint, own, preceding)) return own;
  return ((own | preceding) & PICTOGRAPH) | (own & TAKES_SKIN_TONE) | (2 << WIDTH_SHIFT) | JOINS;
}

export const columnsOf = (step: ClusterStep): number => (step >> WIDTH_SHIFT) & 3;

/** True if the code point is in the cluster of the one before it. */
export const joinsPreceding = (step: ClusterStep): boolean => (step & JOINS) !== 0;

/** A code point without columns joins any other. */
function markStep(codePoint: number, preceding: ClusterStep): ClusterStep {
  const width = preceding & (3 << WIDTH_SHIFT);
  const pictograph = preceding & PICTOGRAPH;
  if (codePoint === JOINER && pictograph !== 0) return JOINED_PICTOGRAPH | PICTOGRAPH | width | JOINS;
  if (codePoint !== EMOJI_STYLE) return pictograph | width | JOINS;
  const styled = (preceding & HAS_EMOJI_STYLE) === 0 ? width : 2 << WIDTH_SHIFT;
  return pictograph | (preceding & TAKES_SKIN_TONE) | styled | JOINS;
}

/** The only characters with columns that join: the second half of a flag, a pictograph behind a joiner, a skin tone. */
function joinsCharacter(codePoint: number, own: ClusterStep, preceding: ClusterStep): boolean {
  if ((preceding & JOINED_PICTOGRAPH) !== 0) return (own & PICTOGRAPH) !== 0;
  if ((preceding & HALF_FLAG) !== 0) return (own & HALF_FLAG) !== 0;
  return isSkinTone(codePoint);
}

const isSkinTone = (codePoint: number): boolean => codePoint >= 0x1f3fb && codePoint <= 0x1f3ff;

function classOf(codePoint: number): ClusterStep {
  const step = lookUpClass(codePoint);
  if (codePoint < classes.length) classes[codePoint] = step;
  return step;
}

function lookUpClass(codePoint: number): ClusterStep {
  const narrow = 1 << WIDTH_SHIFT;
  if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)) return JOINS;
  if (codePoint < 0x7f) return /[#*0-9]/.test(String.fromCharCode(codePoint)) ? HAS_EMOJI_STYLE | narrow : narrow;
  const character = String.fromCodePoint(codePoint);
  if (NO_COLUMN.test(character) && !DRAWN_FORMAT.test(character)) return JOINS;
  const width = eastAsianWidth(codePoint) << WIDTH_SHIFT;
  if (/^\p{Regional_Indicator}$/u.test(character)) return HALF_FLAG | width;
  const pictograph = /^\p{Extended_Pictographic}$/u.test(character) ? PICTOGRAPH : 0;
  const style = width === narrow && /^\p{Emoji}$/u.test(character) ? HAS_EMOJI_STYLE : 0;
  return pictograph | style | (/^\p{Emoji_Modifier_Base}$/u.test(character) ? TAKES_SKIN_TONE : 0) | width;
}

/**
 * Returns the columns that a terminal uses for `text`; control characters have none. A cluster counts once: an emoji of several joined by
 * U+200D is 2 columns wide, a letter with accents 1.
 *
 * @example
 * ```ts
 * displayWidth("日本"); // 4
 * ```
 */
export function displayWidth(text: string): number {
  let width = 0;
  let preceding = 0;
  for (let index = 0; index < text.length; index += 1) {
    const codePoint = text.codePointAt(index) ?? 0;
    const step = clusterStep(codePoint, preceding);
    width += columnsOf(step) - (joinsPreceding(step) ? columnsOf(preceding) : 0);
    preceding = step;
    if (codePoint > 0xffff) index += 1;
  }
  return width;
}

/** True for a character with all that joins it. */
export function isOneCluster(text: string): boolean {
  let step = 0;
  const characters = Array.from(text);
  return (
    characters.length > 0 &&
    characters.every((character, index) => {
      step = clusterStep(character.codePointAt(0) ?? 0, step);
      return index === 0 || joinsPreceding(step);
    })
  );
}

/** The longest beginning of `text` of whole clusters that fits into `columns`. */
export function firstColumns(text: string, columns: number): string {
  let width = 0;
  let preceding = 0;
  let cluster = 0;
  for (let index = 0; index < text.length; index += 1) {
    const codePoint = text.codePointAt(index) ?? 0;
    const step = clusterStep(codePoint, preceding);
    if (joinsPreceding(step)) width -= columnsOf(preceding);
    else cluster = index;
    width += columnsOf(step);
    if (width > columns) return text.slice(0, cluster);
    preceding = step;
    if (codePoint > 0xffff) index += 1;
  }
  return text;
}

/**
 * Truncates `text` to at most `columnsMax` columns, with `…` in the last one if something was removed. Never splits a cluster.
 *
 * @example
 * ```ts
 * truncateToWidth("lectern", 4); // "lec…"
 * ```
 */
export function truncateToWidth(text: string, columnsMax: number): string {
  if (firstColumns(text, columnsMax) === text) return text;
  return columnsMax < 1 ? "" : `${firstColumns(text, columnsMax - 1)}…`;
}

/** `text` padded with blanks to `columns`; unchanged if it is as wide already. */
export const padToWidth = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - displayWidth(text)));
