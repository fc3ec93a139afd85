/** Rows of the emulator as immutable plain data, read again only when they change. */
import type { Cell, Line } from "./xterm.ts";

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

/** One row of a screen. The object stays the same until the row changes, also when it scrolls. */
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

const isCombined = 0x200000;
const colourModeMask = 0x3000000;
const trueColour = 0x3000000;

/** Caches rows by the emulator's row objects, which move when the screen scrolls. */
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
    this.#known.set(row, { cells: row._data.slice(0, columns * 3), line });
    return line;
  }
}

/** Combined characters are stored outside the cells, so a row that has any counts as changed. */
function isSame(before: Uint32Array, now: Uint32Array, columns: number): boolean {
  if (before.length !== columns * 3) return false;
  for (let index = 0; index < before.length; index += 1) if (before[index] !== now[index]) return false;
  for (let index = 0; index < before.length; index += 3) if (((before[index] ?? 0) & isCombined) !== 0) return false;
  return true;
}

function spansOf(row: Line, columns: number, cell: Cell): StyledSpan[] {
  const spans: StyledSpan[] = [];
  let text = "";
  let start = 0;
  let fg = 0;
  let bg = 0;
  const close = (): void => {
    if (text !== "") spans.push(spanOf(text, start, fg, bg));
  };
  for (let column = 0; column < columns; column += 1) {
    row.loadCell(column, cell);
    if (column === 0 || cell.fg !== fg || cell.bg !== bg) {
      close();
      text = "";
      start = column;
      ({ fg, bg } = cell);
    }
    const characters = cell.getChars();
    text += characters === "" ? " " : characters;
    if (cell.getWidth() === 2) column += 1;
  }
  close();
  while (spans.length > 0 && isBlank(spans.at(-1))) spans.pop();
  return spans;
}

const isBlank = (span: StyledSpan | undefined): boolean =>
  span !== undefined && span.background === -1 && !span.isInverse && span.text.trimEnd() === "";

// Four positional values, because an object for each span would be too slow.
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
