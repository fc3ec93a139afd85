/** Rows of the emulator as plain data that stays: read once, and again only when they change. */
import type { Cell, Line } from "./xterm.ts";

/** A colour: -1 is the default one, 0 to 255 the palette, 0x1000000 + RGB a true colour. */
export type Colour = number;

/** Cells next to each other that look alike. */
export interface StyledSpan {
  readonly text: string;
  /** Of its first cell, from 0. */
  readonly column: number;
  readonly foreground: Colour;
  readonly background: Colour;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isInverse: boolean;
}

/** One row. The same object as before while the row does not change, also when it scrolls. */
export interface ScreenLine {
  /** Without blanks at its end. */
  readonly text: string;
  /** It continues the row above: the terminal wrapped it. */
  readonly isWrapped: boolean;
  /** All cells from the first to the last that is not blank or has a background. */
  readonly spans: readonly StyledSpan[];
}

interface Known {
  readonly cells: Uint32Array;
  readonly line: ScreenLine;
}

/** Numbers of a cell in a row of the emulator: content, foreground, background. */
const CELL_NUMBERS = 3;
const isCombined = 0x200000;
const codePointMask = 0x1fffff;
const widthShift = 22;
const BLANK = 0x20;
const colourModeMask = 0x3000000;
const trueColour = 0x3000000;

/** Remembers rows by the emulator's own objects, which move when the screen scrolls. */
export class ScreenLines {
  readonly #known = new WeakMap<Line, Known>();
  readonly #cell: Cell;

  constructor(cell: Cell) {
    this.#cell = cell;
  }

  read(row: Line, columns: number): ScreenLine {
    const known = this.#known.get(row);
    const isWrapped = row.isWrapped;
    if (known !== undefined && isSame(known.cells, row._data, columns) && known.line.isWrapped === isWrapped)
      return known.line;
    const spans = spansOf(row, columns, this.#cell);
    const text = spans
      .map((span) => span.text)
      .join("")
      .trimEnd();
    const line = { text, isWrapped, spans };
    this.#known.set(row, { cells: cellsOf(row, columns), line });
    return line;
  }
}

/** Combined characters stand beside the cells: a row that has some always counts as changed, and no cells are kept of it. */
function cellsOf(row: Line, columns: number): Uint32Array {
  const cells = row._data.slice(0, columns * CELL_NUMBERS);
  for (let index = 0; index < cells.length; index += CELL_NUMBERS)
    if (((cells[index] ?? 0) & isCombined) !== 0) return new Uint32Array(0);
  return cells;
}

function isSame(before: Uint32Array, now: Uint32Array, columns: number): boolean {
  if (before.length !== columns * CELL_NUMBERS) return false;
  for (let index = 0; index < before.length; index += 1) if (before[index] !== now[index]) return false;
  return true;
}

function spansOf(row: Line, columns: number, cell: Cell): StyledSpan[] {
  const spans: StyledSpan[] = [];
  const cells = row._data;
  let text = "";
  let start = 0;
  let fg = 0;
  let bg = 0;
  const close = (): void => {
    if (text !== "") spans.push(spanOf(text, start, fg, bg));
  };
  for (let column = 0; column < columns; column += 1) {
    const at = column * CELL_NUMBERS;
    const content = cells[at] ?? 0;
    const cellFg = cells[at + 1] ?? 0;
    const cellBg = cells[at + 2] ?? 0;
    if (column === 0 || cellFg !== fg || cellBg !== bg) {
      close();
      text = "";
      start = column;
      fg = cellFg;
      bg = cellBg;
    }
    if ((content & isCombined) === 0) text += String.fromCodePoint(content & codePointMask || BLANK);
    else text += row.loadCell(column, cell).getChars();
    if (content >>> widthShift === 2) column += 1;
  }
  close();
  while (spans.length > 0 && isBlank(spans.at(-1))) spans.pop();
  return spans;
}

const isBlank = (span: StyledSpan | undefined): boolean =>
  span !== undefined && span.background === -1 && !span.isInverse && span.text.trimEnd() === "";

// Four values, called once per span: an object for them would cost more than it says.
const spanOf = (text: string, column: number, fg: number, bg: number): StyledSpan => ({
  text,
  column,
  foreground: colourOf(fg),
  background: colourOf(bg),
  isBold: (fg & 0x8000000) !== 0,
  isDim: (bg & 0x8000000) !== 0,
  isItalic: (bg & 0x4000000) !== 0,
  isInverse: (fg & 0x4000000) !== 0,
});

/** From the emulator's packed form. */
export function colourOf(packed: number): Colour {
  const mode = packed & colourModeMask;
  if (mode === 0) return -1;
  return mode === trueColour ? 0x1000000 + (packed & 0xffffff) : packed & 0xff;
}
