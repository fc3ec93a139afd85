/** The complete state of a screen, for comparing two of them. */
import { attributesText, isErasedStyle } from "./attributes.ts";
import { isBrokenWide } from "./cells.ts";
import type { Cell, EmulatorBuffer, EmulatorCore } from "./xterm.ts";

export interface StateOptions {
  readonly columns: number;
  readonly rows: number;
  readonly newCell: () => Cell;
}

/** Named parts, so that a difference shows where it is. */
export type ScreenState = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Cells that print nothing but have a style count as blanks: no sequence creates one, and they look the same. */
export function stateOf(core: EmulatorCore, options: StateOptions): ScreenState {
  const { normal, alt, active } = core.buffers;
  const { decPrivateModes, isCursorHidden, modes } = core.coreService;
  const handler = core._inputHandler;
  const charsets = core._charsetService;
  return {
    ...bufferState(normal, "normal", options),
    ...(active === alt ? bufferState(alt, "alternate", options) : { "alternate saved": savedOf(alt, options) }),
    isAlternate: active === alt,
    cursor: `${active.x},${active.y}`,
    style: attributesText(handler._curAttrData),
    join: joinOf(handler._parser.precedingJoinState),
    parser: handler._parser.currentState,
    title: handler._windowTitle,
    titles: handler._windowTitleStack,
    charsets: `${charsets.glevel} ${[0, 1, 2, 3].map((slot) => charsets._charsets[slot]?.["q"] ?? charsets._charsets[slot]?.["#"] ?? "-").join("")} ${charsets.charset?.["q"] ?? ""}`,
    mouse: `${core.coreMouseService.activeProtocol} ${core.coreMouseService.activeEncoding}`,
    modes: JSON.stringify({ ...decPrivateModes, ...modes, isCursorHidden }),
    options: `${core.options.convertEol} ${core.options.cursorBlink}`,
  };
}

function bufferState(buffer: EmulatorBuffer, name: string, options: StateOptions): Record<string, string | string[]> {
  const cells = { cell: options.newCell(), nextCell: options.newCell() };
  const rows: string[] = [];
  const firstRow = name === "normal" ? 0 : buffer.ybase;
  for (let row = firstRow; row < buffer.lines.length; row += 1)
    rows.push(rowState(buffer, row, { ...options, ...cells }));
  return {
    [`${name} rows`]: rows,
    [`${name} base`]: String(buffer.ybase - firstRow),
    [`${name} margins`]: `${buffer.scrollTop},${buffer.scrollBottom}`,
    [`${name} saved`]: savedOf(buffer, options),
    [`${name} tabs`]: Array.from({ length: options.columns }, (_, column) =>
      buffer.tabs[column] === true ? "T" : ".",
    ).join(""),
  };
}

function rowState(
  buffer: EmulatorBuffer,
  row: number,
  { columns, cell, nextCell }: { readonly columns: number; readonly cell: Cell; readonly nextCell: Cell },
): string {
  const line = buffer.lines.get(row);
  if (line === undefined) return "missing";
  let text = line.isWrapped ? "wrapped " : "";
  let style = "";
  for (let column = 0; column < columns; column += 1) {
    line.loadCell(column, cell);
    const next = attributesText(cell);
    if (next !== style) text += `{${next}}`;
    style = next;
    const isBroken = isBrokenWide(line, column, { columns, cell, nextCell });
    text += isBroken ? " " : cellState(cell);
    if (cell.getWidth() === 2 && !isBroken) column += 1;
  }
  return text;
}

function cellState(cell: Cell): string {
  const chars = cell.getChars();
  if (chars === "") return isErasedStyle(cell) ? "·" : " ";
  return cell.getWidth() === 1 ? chars : `(${chars})`;
}

function savedOf(buffer: EmulatorBuffer, { columns, rows }: StateOptions): string {
  const row = Math.min(Math.max(buffer.savedY - buffer.ybase, 0), rows - 1);
  const { fg, bg } = buffer.savedCurAttrData;
  const style = attributesText({ fg, bg: bg & ~0x10000000, extended: { ext: 0 } });
  return `${Math.min(buffer.savedX, columns - 1)},${row} ${style} ${buffer.savedCharset?.["q"] ?? ""}`;
}

/** How the next code point joins: the class and the width of the last one, from the state of the widths addon. */
function joinOf(state: number): string {
  return state === 0 ? "nothing" : `class ${(state >> 3) & 15}, width ${(state >> 1) & 3}`;
}
