/** Rows of the emulator as immutable plain data, read again only when they change. */
import {
  CELL_NUMBERS,
  CODE_POINT_MASK,
  COLOUR_MODE_MASK,
  IS_BOLD,
  IS_COMBINED,
  IS_DIM,
  IS_INVERSE,
  IS_ITALIC,
  RGB_MASK,
  TRUE_COLOUR,
  WIDTH_SHIFT,
} from "../emulator/cells.ts";
import type { EmulatorRow } from "../emulator/emulator.ts";

/** A colour: -1 is the default one, 0 to 255 the palette, 0x1000000 + RGB a true colour. */
export type Colour = number;

/** Adjacent cells of the same style. */
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

/** One row. The same object as before while the row does not change, also when it scrolls; another row that is equal may be the same object. */
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

/** Rows that are remembered by their cells: a program that paints its screen anew mostly writes what stood there, or in the row below. */
const ROWS_MAX = 256;

const BLANK = 0x20;

/** Caches rows by their keys, which move when the screen scrolls. */
export class ScreenLines {
  readonly #known = new WeakMap<object, Known>();
  /** By a hash of their cells, the oldest first. */
  readonly #recent = new Map<number, Known>();

  read(row: EmulatorRow, columns: number): ScreenLine {
    const before = this.#known.get(row.key);
    if (before !== undefined && isSame(before, row, columns)) return before.line;
    const hash = hashOf(row.cells, columns);
    const recent = this.#recent.get(hash);
    const known = recent !== undefined && isSame(recent, row, columns) ? recent : makeKnown(row, columns);
    this.#known.set(row.key, known);
    if (known !== recent) this.#remember(hash, known);
    return known.line;
  }

  #remember(hash: number, known: Known): void {
    this.#recent.set(hash, known);
    if (this.#recent.size <= ROWS_MAX) return;
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest);
      return;
    }
  }
}

function makeKnown(row: EmulatorRow, columns: number): Known {
  const spans = spansOf(row, columns);
  const text = spans
    .map((span) => span.text)
    .join("")
    .trimEnd();
  return { cells: cellsOf(row, columns), line: { text, isWrapped: row.isWrapped, spans } };
}

/** Combined characters stand beside the cells: a row that has some always counts as changed, and no cells are kept of it. */
function cellsOf(row: EmulatorRow, columns: number): Uint32Array {
  const cells = row.cells.slice(0, columns * CELL_NUMBERS);
  for (let index = 0; index < cells.length; index += CELL_NUMBERS)
    if (((cells[index] ?? 0) & IS_COMBINED) !== 0) return new Uint32Array(0);
  return cells;
}

function isSame({ cells, line }: Known, row: EmulatorRow, columns: number): boolean {
  if (cells.length !== columns * CELL_NUMBERS || line.isWrapped !== row.isWrapped) return false;
  const now = row.cells;
  for (let index = 0; index < cells.length; index += 1) if (cells[index] !== now[index]) return false;
  return true;
}

function hashOf(cells: Uint32Array, columns: number): number {
  let hash = columns;
  for (let index = 0; index < columns * CELL_NUMBERS; index += 1)
    hash = (Math.imul(hash, 31) + (cells[index] ?? 0)) | 0;
  return hash;
}

function spansOf(row: EmulatorRow, columns: number): StyledSpan[] {
  const spans: StyledSpan[] = [];
  const cells = row.cells;
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
    if ((content & IS_COMBINED) === 0) text += String.fromCodePoint(content & CODE_POINT_MASK || BLANK);
    else text += row.combinedAt(column);
    if (content >>> WIDTH_SHIFT === 2) column += 1;
  }
  close();
  while (spans.length > 0 && isBlank(spans.at(-1))) spans.pop();
  return spans;
}

const isBlank = (span: StyledSpan | undefined): boolean =>
  span !== undefined && span.background === -1 && !span.isInverse && span.text.trimEnd() === "";

/** Cells of one style, from the packed form. Four positional values, because an object for each span would be too slow. */
export const spanOf = (text: string, column: number, fg: number, bg: number): StyledSpan => ({
  text,
  column,
  foreground: colourOf(fg),
  background: colourOf(bg),
  isBold: (fg & IS_BOLD) !== 0,
  isDim: (bg & IS_DIM) !== 0,
  isItalic: (bg & IS_ITALIC) !== 0,
  isInverse: (fg & IS_INVERSE) !== 0,
});

/** From the emulator's packed form. */
function colourOf(packed: number): Colour {
  const mode = packed & COLOUR_MODE_MASK;
  if (mode === 0) return -1;
  return mode === TRUE_COLOUR ? 0x1000000 + (packed & RGB_MASK) : packed & 0xff;
}
