/** A row as cells with the styles for an image; `screen-lines.ts` is the form for reading. */
import { isBrokenWide } from "./cells.ts";
import { colourOf, type Colour } from "./screen-lines.ts";
import type { Cell, Line } from "./xterm.ts";

export interface StyledCell {
  /** From 0. */
  readonly column: number;
  readonly width: 1 | 2;
  /** One grapheme; a blank is " ". */
  readonly text: string;
  readonly foreground: Colour;
  readonly background: Colour;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isInverse: boolean;
  readonly isHidden: boolean;
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
  readonly isOverlined: boolean;
}

/** Working memory: two cells to read into. */
export interface CellReading {
  readonly columns: number;
  readonly cell: Cell;
  readonly nextCell: Cell;
}

/** All cells of a row, blank ones included. */
export function styledCells(row: Line, { columns, cell, nextCell }: CellReading): StyledCell[] {
  const cells: StyledCell[] = [];
  for (let column = 0; column < columns; column += 1) {
    row.loadCell(column, cell);
    const isBroken = isBrokenWide(row, column, { columns, cell, nextCell });
    const width = cell.getWidth() === 2 && !isBroken ? 2 : 1;
    cells.push({ column, width, text: (!isBroken && cell.getChars()) || " ", ...lookOf(cell) });
    column += width - 1;
  }
  return cells;
}

// The masks are those in `attributes.ts`.
const lookOf = ({ fg, bg }: Cell): Omit<StyledCell, "column" | "width" | "text"> => ({
  foreground: colourOf(fg),
  background: colourOf(bg),
  isBold: (fg & 0x8000000) !== 0,
  isDim: (bg & 0x8000000) !== 0,
  isItalic: (bg & 0x4000000) !== 0,
  isInverse: (fg & 0x4000000) !== 0,
  isHidden: (fg & 0x40000000) !== 0,
  isUnderlined: (fg & 0x10000000) !== 0,
  isStruck: (fg & 0x80000000) !== 0,
  isOverlined: (bg & 0x40000000) !== 0,
});
