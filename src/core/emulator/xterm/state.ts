/** The complete state of an emulator, for comparing two of them. */
import { attributesText, isErasedStyle } from "./attributes.ts";
import { isBrokenWide } from "../cells.ts";
import type { EmulatorState } from "../emulator.ts";
import { XtermRow, type XtermBuffer, type XtermCell, type XtermCore } from "./internals.ts";

export interface StateOptions {
  readonly columns: number;
  readonly rows: number;
  readonly newCell: () => XtermCell;
}

/** Cells that print nothing but have a style count as blanks: no sequence creates one, and they look the same. */
export function stateOf(core: XtermCore, options: StateOptions): EmulatorState {
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

function bufferState(buffer: XtermBuffer, name: string, options: StateOptions): Record<string, string | string[]> {
  const cell = options.newCell();
  const rows: string[] = [];
  const firstRow = name === "normal" ? 0 : buffer.ybase;
  for (let row = firstRow; row < buffer.lines.length; row += 1)
    rows.push(rowState(buffer, row, { columns: options.columns, cell }));
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
  buffer: XtermBuffer,
  row: number,
  { columns, cell }: { readonly columns: number; readonly cell: XtermCell },
): string {
  const line = buffer.lines.get(row);
  if (line === undefined) return "missing";
  const cells = new XtermRow(line);
  let text = line.isWrapped ? "wrapped " : "";
  let style = "";
  for (let column = 0; column < columns; column += 1) {
    line.loadCell(column, cell);
    const next = attributesText(cell);
    if (next !== style) text += `{${next}}`;
    style = next;
    const isBroken = cell.getWidth() === 2 && isBrokenWide(cells, column, columns);
    text += isBroken ? " " : cellState(cell);
    if (cell.getWidth() === 2 && !isBroken) column += 1;
  }
  return text;
}

function cellState(cell: XtermCell): string {
  const chars = cell.getChars();
  if (chars === "") return isErasedStyle(cell) ? "·" : " ";
  return cell.getWidth() === 1 ? chars : `(${chars})`;
}

function savedOf(buffer: XtermBuffer, { columns, rows }: StateOptions): string {
  const row = Math.min(Math.max(buffer.savedY - buffer.ybase, 0), rows - 1);
  const { fg, bg } = buffer.savedCurAttrData;
  const style = attributesText({ fg, bg: bg & ~0x10000000, extended: { ext: 0 } });
  return `${Math.min(buffer.savedX, columns - 1)},${row} ${style} ${buffer.savedCharset?.["q"] ?? ""}`;
}

/** How the next code point joins: the last step without its own joining. */
const joinOf = (state: number): string => (state === 0 ? "nothing" : `step ${state >> 1}`);
