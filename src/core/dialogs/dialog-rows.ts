/** The rows of a screen without the frames that are drawn around dialogs. */
import type { ScreenLine } from "../screen/screen-lines.ts";

export interface DialogRow {
  /** As it stands on the screen. */
  readonly raw: string;
  /** Without borders at both sides and without a scrollbar; blanks in front stay. */
  readonly text: string;
  /** Only a border or nothing. */
  readonly isBlank: boolean;
  /** A horizontal border. */
  readonly isBorder: boolean;
}

const leftBorder = /^\s*[│┃║▌](?=\s|$)/u;
/** `←` marks the call that is asked about. */
const rightBorder = /\s+[│┃║█▄▀▌▐←]$/u;
const borderOnly = /^[\s─━═╌┄┈▔╭╮╰╯┌┐└┘├┤┬┴┼╔╗╚╝╹╻╵╷▀▄█│┃║▌▐]*$/u;
const SEPARATOR_COLUMNS_MAX = 20;
const horizontal = /[─━═╌┄┈▔]{2}/u;

export const dialogRows = (lines: readonly ScreenLine[]): DialogRow[] => lines.map(({ text }) => rowOf(text));

function rowOf(raw: string): DialogRow {
  let text = raw;
  // A frame in a frame.
  for (let depth = 0; depth < 2; depth += 1) text = text.replace(rightBorder, "").replace(leftBorder, "");
  const isBlank = borderOnly.test(text);
  return { raw, text: isBlank ? "" : text.trimEnd(), isBlank, isBorder: isBlank && horizontal.test(raw) };
}

/** A rule between two entries of a list; the border of a box, or of an input box, is longer. */
export const isSeparator = ({ isBorder, raw }: DialogRow): boolean =>
  isBorder && raw.trim().length <= SEPARATOR_COLUMNS_MAX;

/** The text of rows, without blank rows around and without a common margin. */
export function textOfRows(rows: readonly DialogRow[]): string {
  const texts = rows.map(({ text }) => text);
  const margin = Math.min(...texts.filter((text) => text !== "").map((text) => text.search(/\S/)));
  return texts
    .map((text) => text.slice(Number.isFinite(margin) ? margin : 0))
    .join("\n")
    .replaceAll(/^\n+|\n+$/g, "")
    .replaceAll(/\n{3,}/g, "\n\n");
}
