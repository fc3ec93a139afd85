/**
 * Serializes the state of an emulator as bytes for a terminal of the same size that was just reset.
 *
 * The order matters, because sequences affect each other: text is written while wrapping is on and the margins are the whole screen;
 * margins and origin mode move the cursor, so the cursor follows them; any sequence ends the grapheme that the next code point could
 * join, so the last printed cell is printed again at the very end.
 *
 * What cannot be serialized is listed in docs/decisions/screen.md and in `serialize.test.ts`, one test for each loss.
 */
import { endOf, isErasedStyle, sameAttributes, sgrOf, underlineColourOf } from "./attributes.ts";
import { isBrokenWide } from "../cells.ts";
import type { ExtraModes } from "../emulator.ts";
import {
  XtermRow,
  type Attributes,
  type Charset,
  type XtermBuffer,
  type XtermCell,
  type XtermCore,
} from "./internals.ts";

export interface SerializeOptions {
  readonly columns: number;
  readonly rows: number;
  /** A cell to read into; the emulator's own cells are its working memory. */
  readonly newCell: () => XtermCell;
  readonly extraModes: ExtraModes;
}

const defaultStyle: Attributes = { fg: 0, bg: 0, extended: { ext: 0 } };
const controlBytes = /[\u0000-\u001F\u007F-\u009F]/g;

/** See the head of the file. */
export function serializeXterm(core: XtermCore, options: SerializeOptions): string {
  const { normal, alt, active } = core.buffers;
  const parts = [
    ...titles(core),
    active === normal ? hiddenAlternate(alt, options) : "",
    new BufferWriter(normal, 0, options).write(),
    bufferState(normal, options),
    options.extraModes.normal,
  ];
  if (active === alt) {
    // After a resize the emulator may keep rows above the alternate screen, which has no scrollback: they are skipped.
    parts.push("\u001B[?47h\u001B[H", new BufferWriter(alt, alt.ybase, options).write(), bufferState(alt, options));
    parts.push(options.extraModes.alternate);
  }
  parts.push(modes(core), cursorState(core, options));
  return parts.join("");
}

class BufferWriter {
  readonly #buffer: XtermBuffer;
  readonly #columns: number;
  readonly #firstRow: number;
  /** On a screen with one row there is no row to return to, and a wrapped row is not marked. */
  readonly #canGoBack: boolean;
  readonly #cell: XtermCell;
  readonly #parts: string[] = [];
  #style: Attributes = defaultStyle;
  /** The last output was text that could join with the next. */
  #joins = false;

  constructor(buffer: XtermBuffer, firstRow: number, options: SerializeOptions) {
    this.#buffer = buffer;
    this.#firstRow = firstRow;
    this.#canGoBack = options.rows > 1;
    this.#columns = options.columns;
    this.#cell = options.newCell();
  }

  write(): string {
    const { lines } = this.#buffer;
    if (this.#canGoBack && lines.get(this.#firstRow)?.isWrapped === true) this.#wrapFirstRow();
    for (let row = this.#firstRow; row < lines.length; row += 1) {
      if (row > this.#firstRow) this.#nextRow(row);
      this.#row(row);
    }
    this.#setStyle(defaultStyle);
    return this.#parts.join("");
  }

  /** A row that continues a dropped one: wrap into the second row, then delete the first. EL would undo the wrapping. */
  #wrapFirstRow(): void {
    this.#parts.push(`\u001B[${this.#columns}Gxx\u001B[H\u001B[M\u001B[X`);
  }

  #nextRow(row: number): void {
    const lastCell = this.#attributesAt(row - 1, this.#columns - 1);
    this.#setStyle(defaultStyle);
    if (this.#buffer.lines.get(row)?.isWrapped !== true) {
      this.#parts.push("\r\n");
    } else if (lastCell.isPrinted) {
      this.#parts.push(" \r\u001B[X");
    } else if (!this.#canGoBack) {
      this.#parts.push("\r\n");
    } else {
      // Only text in the last column wraps: print some there, wrap, return and erase it. A line feed would undo the wrapping.
      this.#parts.push(`\u001B[${this.#columns}Gx \r\u001B[X\u001B[A\u001B[${this.#columns}G`);
      this.#erase(1, lastCell);
      this.#setStyle(defaultStyle);
      this.#parts.push("\r\u001B[B");
    }
    this.#joins = false;
  }

  #attributesAt(row: number, column: number): Attributes & { readonly isPrinted: boolean } {
    const cell = this.#buffer.lines.get(row)?.loadCell(column, this.#cell);
    if (cell === undefined) return { ...defaultStyle, isPrinted: false };
    const isPrinted = cell.getChars() !== "" || cell.getWidth() === 0 || !isErasedStyle(cell);
    return { fg: cell.fg, bg: cell.bg, extended: { ext: cell.extended.ext }, isPrinted };
  }

  #row(row: number): void {
    const line = this.#buffer.lines.get(row);
    if (line === undefined) return;
    let empty = 0;
    let emptyStyle = defaultStyle;
    const length = Math.min(line.length, this.#columns);
    const cells = new XtermRow(line);
    for (let column = 0; column < length; column += 1) {
      const cell = line.loadCell(column, this.#cell);
      const isBroken = cell.getWidth() === 2 && isBrokenWide(cells, column, this.#columns);
      const text = isBroken ? " " : textOf(cell);
      if (text !== undefined) {
        this.#gap(empty, emptyStyle, true);
        empty = 0;
        this.#print(text, cell);
        if (cell.getWidth() === 2 && !isBroken) column += 1;
        continue;
      }
      if (empty > 0 && !sameAttributes(emptyStyle, cell)) {
        this.#gap(empty, emptyStyle, true);
        empty = 0;
      }
      if (empty === 0) emptyStyle = copyOf(cell);
      empty += 1;
    }
    this.#gap(empty, emptyStyle, false);
  }

  #print(text: string, style: Attributes): void {
    this.#setStyle(style);
    const isPlain = isPlainText(text);
    // A separate cell must not join the one before it; ST has no effect and separates the two.
    if (this.#joins || !isPlain) this.#parts.push("\u001B\\");
    this.#parts.push(text);
    this.#joins = !isPlain;
  }

  /** Erased cells; with `moves` the cursor ends after them. */
  #gap(count: number, style: Attributes, moves: boolean): void {
    if (count === 0) return;
    if (style.bg !== 0) this.#erase(count, style);
    if (moves) this.#parts.push(`\u001B[${count}C`);
    this.#joins = false;
  }

  #erase(count: number, style: Attributes): void {
    this.#setStyle(style);
    this.#parts.push(`\u001B[${count}X`);
  }

  #setStyle(style: Attributes): void {
    if (sameAttributes(style, this.#style)) return;
    this.#parts.push(endOf(this.#style), sgrOf(style));
    this.#style = copyOf(style);
    this.#joins = false;
  }
}

const copyOf = ({ fg, bg, extended }: Attributes): Attributes => ({ fg, bg, extended: { ext: extended.ext } });

/** The text to print for a cell; undefined if it is erased. */
function textOf(cell: XtermCell): string | undefined {
  const text = cell.getChars();
  if (text !== "") return text;
  return isErasedStyle(cell) ? undefined : " ";
}

/** True for text that never joins with its neighbours: most of ASCII, Latin, Greek, Cyrillic, lines and blocks, kana, Han. */
function isPlainText(text: string): boolean {
  if (text.length !== 1) return false;
  const code = text.charCodeAt(0);
  return (
    (code < 0x300 && code !== 0xa9 && code !== 0xae && code !== 0xad) ||
    (code >= 0x2500 && code < 0x25a0) ||
    (code >= 0x3041 && code < 0x3097) ||
    (code >= 0x30a1 && code < 0x3100) ||
    (code >= 0x4e00 && code < 0xa000)
  );
}

const setTitle = (title: string): string => `\u001B]2;${title.replaceAll(controlBytes, "")}\u001B\\`;

function titles(core: XtermCore): string[] {
  const handler = core._inputHandler;
  const stack = handler._windowTitleStack.map((title) => `${setTitle(title)}\u001B[22;2t`);
  return handler._windowTitle === "" && stack.length === 0 ? [] : [...stack, setTitle(handler._windowTitle)];
}

/** Tab stops, margins and the saved cursor of the active buffer; leaves the cursor anywhere. */
function bufferState(buffer: XtermBuffer, { columns, rows }: SerializeOptions): string {
  const parts = [tabStops(buffer, columns)];
  if (buffer.scrollTop !== 0 || buffer.scrollBottom !== rows - 1)
    parts.push(`\u001B[${buffer.scrollTop + 1};${buffer.scrollBottom + 1}r`);
  parts.push(savedCursor(buffer, rows));
  return parts.join("");
}

function tabStops(buffer: XtermBuffer, columns: number): string {
  const stops = Array.from({ length: columns }, (_, column) => column).filter((column) => buffer.tabs[column] === true);
  const defaults = Math.ceil(columns / 8);
  if (stops.length === defaults && stops.every((column) => column % 8 === 0)) return "";
  return `\u001B[3g${stops.map((column) => `\u001B[${column + 1}G\u001BH`).join("")}`;
}

function savedCursor(buffer: XtermBuffer, rows: number): string {
  const style = { ...buffer.savedCurAttrData, bg: buffer.savedCurAttrData.bg & ~0x10000000 };
  const row = Math.min(Math.max(buffer.savedY - buffer.ybase, 0), rows - 1);
  if (buffer.savedX === 0 && row === 0 && sameAttributes(style, defaultStyle) && buffer.savedCharset === undefined)
    return "";
  const charset = designationOf(buffer.savedCharset);
  const place = `\u001B[${row + 1};${buffer.savedX + 1}H`;
  const end = charset === "" ? "" : "\u001B(B";
  return `${place}${sgrOf({ fg: style.fg, bg: style.bg, extended: { ext: 0 } })}${charset && `\u001B(${charset}`}\u001B7${endOf(style)}\u001B[0m${end}`;
}

/** Keeps the saved cursor and the keyboard flags of the hidden alternate screen. */
function hiddenAlternate(alternate: XtermBuffer, options: SerializeOptions): string {
  const kept = `${savedCursor(alternate, options.rows)}${options.extraModes.alternate}`;
  return kept === "" ? "" : `\u001B[?47h${kept}\u001B[?47l\u001B[H`;
}

/** The character sets that programs use; national ones are not serialized. */
function designationOf(charset: Charset): string {
  if (charset?.["q"] === "─") return "0";
  return charset?.["#"] === "£" && Object.keys(charset).length === 1 ? "A" : "";
}

const mouseProtocols: Readonly<Record<string, number>> = { X10: 9, VT200: 1000, DRAG: 1002, ANY: 1003 };
const mouseEncodings: Readonly<Record<string, number>> = { SGR: 1006, SGR_PIXELS: 1016 };
const cursorShapes = { block: 1, underline: 3, bar: 5 } as const;

function modes(core: XtermCore): string {
  const { decPrivateModes, isCursorHidden } = core.coreService;
  const set: (number | undefined | false)[] = [
    decPrivateModes.applicationCursorKeys && 1,
    core.options.cursorBlink && 12,
    decPrivateModes.reverseWraparound && 45,
    decPrivateModes.applicationKeypad && 66,
    mouseProtocols[core.coreMouseService.activeProtocol],
    mouseEncodings[core.coreMouseService.activeEncoding],
    decPrivateModes.sendFocus && 1004,
    decPrivateModes.bracketedPasteMode && 2004,
    decPrivateModes.synchronizedOutput && 2026,
  ];
  const shape = decPrivateModes.cursorStyle;
  return [
    ...set.map((mode) => (mode === undefined || mode === false ? "" : `\u001B[?${mode}h`)),
    isCursorHidden ? "\u001B[?25l" : "",
    decPrivateModes.wraparound ? "" : "\u001B[?7l",
    core.options.convertEol ? "\u001B[20h" : "",
    shape === undefined ? "" : `\u001B[${cursorShapes[shape] + (decPrivateModes.cursorBlink === true ? 0 : 1)} q`,
  ].join("");
}

/** Origin mode, cursor, attributes, character sets and insert mode, which must come last and in this order. */
function cursorState(core: XtermCore, options: SerializeOptions): string {
  const buffer = core.buffers.active;
  const style = core._inputHandler._curAttrData;
  const current = `${sgrOf(style)}${underlineColourOf(style)}`;
  const printed = printedCell(core, options);
  const charsets = charsetState(core);
  const isOrigin = core.coreService.decPrivateModes.origin;
  const column = printed?.column ?? Math.min(buffer.x, options.columns - 1);
  const origin = `${isOrigin ? "\u001B[?6h" : ""}${charsets.restored}`;
  const row = buffer.y - (isOrigin ? buffer.scrollTop : 0) + 1;
  const place = `\u001B[${row};${column + 1}H`;
  const insertMode = core.coreService.modes.insertMode ? "\u001B[4h" : "";
  const rest = `${charsets.designations}${insertMode}`;
  if (printed === undefined) return `${origin}${place}${current}${rest}`;
  // A grapheme that grows while it is printed shifts the row twice in insert mode: it is not printed again, so nothing can join it.
  const growsInRow =
    insertMode !== "" &&
    printed.text.length > String.fromCodePoint(printed.text.codePointAt(0) ?? 0).length &&
    buffer.x < options.columns;
  if (growsInRow) return `${origin}\u001B[${row};${buffer.x + 1}H${current}${rest}`;
  const joins = core._inputHandler._parser.precedingJoinState !== 0 && sameAttributes(printed.style, style);
  if (!joins) return `${origin}${place}${sgrOf(printed.style)}${printed.text}${endOf(printed.style)}${current}${rest}`;
  // In insert mode printing shifts the rest of the row, so the cell is deleted first.
  const makeRoom = insertMode === "" ? "" : `\u001B[${printed.width}P`;
  return `${origin}${rest}${place}${makeRoom}${current}${printed.text}`;
}

/**
 * The cell before the cursor, if printing it again has an effect: the cursor is after the last column, or the next code point could join
 * it.
 */
function printedCell(
  core: XtermCore,
  { columns, newCell }: SerializeOptions,
): { readonly text: string; readonly column: number; readonly width: number; readonly style: Attributes } | undefined {
  const buffer = core.buffers.active;
  const isBehindLast = buffer.x >= columns;
  if (buffer.x === 0 || (!isBehindLast && core._inputHandler._parser.precedingJoinState === 0)) return undefined;
  const line = buffer.lines.get(buffer.ybase + buffer.y);
  if (line === undefined) return undefined;
  let column = Math.min(buffer.x, columns) - 1;
  const cell = newCell();
  line.loadCell(column, cell);
  if (cell.getWidth() === 0 && cell.getChars() === "" && column > 0) line.loadCell((column -= 1), cell);
  const text = cell.getChars();
  return text === "" ? undefined : { text, column, width: cell.getWidth(), style: copyOf(cell) };
}

/**
 * Designations and the active shift. `restored`: a character set of a restored cursor (DECRC) that is in no slot; restoring the cursor
 * sets it, so this comes before the cursor position.
 */
function charsetState(core: XtermCore): { readonly designations: string; readonly restored: string } {
  const { _charsets, charset, glevel } = core._charsetService;
  const slots = ["(", ")", "*", "+"].map((slot, index) => {
    const designation = designationOf(_charsets[index]);
    return designation === "" ? "" : `\u001B${slot}${designation}`;
  });
  const designations = `${slots.join("")}${["", "\u000E", "\u001Bn", "\u001Bo"][glevel] ?? ""}`;
  return charset === _charsets[glevel]
    ? { designations, restored: "" }
    : { designations: "", restored: `${designations}\u001B8` };
}
