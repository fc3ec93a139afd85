/** The complete state of a screen and of its emulator, for comparing two of them. */
import { isBrokenWide } from "../../src/core/emulator/cells.ts";
import type { Emulator } from "../../src/core/emulator/emulator.ts";
import { attributesText, isErasedStyle } from "../../src/core/emulator/xterm/attributes.ts";
import { XtermRow, type XtermBuffer, type XtermCell } from "../../src/core/emulator/xterm/internals.ts";
import type { XtermEmulator } from "../../src/core/emulator/xterm/xterm.ts";
import type { Screen } from "../../src/core/screen/screen.ts";

/** Named parts, so that a difference shows its place. */
export type EmulatorState = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Equal for two screens that look and behave the same. */
export function screenState(screen: Screen): EmulatorState {
  return {
    ...emulatorState(screen["emulator"]),
    ...screen["programModes"].sequences(),
    pending: new TextDecoder("latin1").decode(screen["clamp"].pending),
  };
}

/** Equal for two emulators that look and behave the same. Cells that print nothing but have a style count as blanks: no sequence creates one, and they look the same. */
export function emulatorState(emulator: Emulator): EmulatorState {
  const xterm = emulator as XtermEmulator;
  const { core } = xterm;
  const { normal, alt, active } = core.buffers;
  const { decPrivateModes, isCursorHidden, modes } = core.coreService;
  const handler = core._inputHandler;
  const charsets = core._charsetService;
  return {
    ...bufferState(normal, "normal", xterm),
    ...(active === alt ? bufferState(alt, "alternate", xterm) : { "alternate saved": savedOf(alt, xterm) }),
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

function bufferState(buffer: XtermBuffer, name: string, emulator: XtermEmulator): Record<string, string | string[]> {
  const cell = emulator.newCell();
  const rows: string[] = [];
  const firstRow = name === "normal" ? 0 : buffer.ybase;
  for (let row = firstRow; row < buffer.lines.length; row += 1)
    rows.push(rowState(buffer, row, { columns: emulator.columns, cell }));
  return {
    [`${name} rows`]: rows,
    [`${name} base`]: String(buffer.ybase - firstRow),
    [`${name} margins`]: `${buffer.scrollTop},${buffer.scrollBottom}`,
    [`${name} saved`]: savedOf(buffer, emulator),
    [`${name} tabs`]: Array.from({ length: emulator.columns }, (_, column) =>
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

function savedOf(buffer: XtermBuffer, { columns, rows }: XtermEmulator): string {
  const row = Math.min(Math.max(buffer.savedY - buffer.ybase, 0), rows - 1);
  const { fg, bg } = buffer.savedCurAttrData;
  const style = attributesText({ fg, bg: bg & ~0x10000000, extended: { ext: 0 } });
  return `${Math.min(buffer.savedX, columns - 1)},${row} ${style} ${buffer.savedCharset?.["q"] ?? ""}`;
}

/** How the next code point joins: the last step without its own joining. */
const joinOf = (state: number): string => (state === 0 ? "nothing" : `step ${state >> 1}`);
