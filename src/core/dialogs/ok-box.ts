/** The boxes of newt (whiptail, debconf) and dialog: a text, a list in which a colour marks one row, and below it the buttons `<Ok>` and `<Cancel>`. */
import type { Frame } from "../screen/frame.ts";
import type { DialogRow } from "./dialog-rows.ts";
import { litRow, styleAt } from "./lit-row.ts";
import type { OptionList } from "./option-list.ts";

export interface OkBox {
  readonly row: number;
  readonly canCancel: boolean;
}

const BUTTONS = /<\s*ok\s*>(?:\s+(<\s*(?:cancel|back)\s*>))?$/i;
const ITEMS_MAX = 20;
const SCROLLBAR = /\s+[↑↓▮▒░█]$/u;

/** The buttons at the end of a screen; null if there are none, or if Enter would cancel. */
export function okBox({ lines }: Pick<Frame, "lines">, rows: readonly DialogRow[]): OkBox | null {
  const row = rows.findLastIndex(({ isBlank }) => !isBlank);
  const shown = rows[row];
  const line = lines[row];
  const match = BUTTONS.exec(shown?.text ?? "");
  if (match === null || shown === undefined || line === undefined) return null;
  const [, cancel] = match;
  if (cancel === undefined) return { row, canCancel: false };
  const at = shown.raw.lastIndexOf(cancel);
  const isLit = styleAt(line, at)?.background !== styleAt(line, at - 1)?.background;
  return isLit ? null : { row, canCancel: true };
}

/** The rows above the buttons, of which exactly one is lit; null if they are not a list. */
export function listInBox(
  { lines }: Pick<Frame, "lines">,
  rows: readonly DialogRow[],
  box: Pick<OkBox, "row">,
): OptionList | null {
  const last = rows.slice(0, box.row).findLastIndex((row) => !isEdge(row));
  const first = rows.slice(0, last + 1).findLastIndex((row) => isEdge(row)) + 1;
  const shown = rows.slice(first, last + 1);
  if (shown.length < 2 || shown.length > ITEMS_MAX) return null;
  const [top] = shown;
  const column = (top?.raw.indexOf(top.text) ?? 0) + (top?.text.search(/\S/) ?? 0);
  const at = litRow(lines.slice(first, last + 1), column);
  if (at === -1) return null;
  const options = shown.map(({ text }, index) => ({
    id: String(index + 1),
    label: inOneLine(text),
    isSelected: index === at,
  }));
  const places = shown.map((_, index) => first + index);
  return { options, rows: places, first, last, isCut: isCutInBox(rows, { first, last }) };
}

/** newt draws a scrollbar beside a list that is longer than its window, dialog writes `↓(+)` and `62%` in the border. */
export const isCutInBox = (rows: readonly DialogRow[], { first, last }: Pick<OptionList, "first" | "last">): boolean =>
  rows.slice(first, last + 1).some(({ text }) => SCROLLBAR.test(text)) ||
  [rows[first - 1], rows[last + 1]].some((row) => row !== undefined && !row.isBlank && isEdge(row));

/** A label without the scrollbar beside it. */
export const inOneLine = (text: string): string =>
  text
    .replace(SCROLLBAR, "")
    .trim()
    .replaceAll(/\s{2,}/g, " ");

const isEdge = ({ isBlank, text }: DialogRow): boolean => isBlank || /^\s*[└┌][─┘┐].*[┘┐]$/u.test(text);
