/** A row as cells with the styles for an image; `screen-lines.ts` is the form for reading. */
import {
  CELL_NUMBERS,
  IS_BOLD,
  IS_DIM,
  IS_HIDDEN,
  IS_INVERSE,
  IS_ITALIC,
  IS_OVERLINED,
  IS_STRUCK,
  IS_UNDERLINED,
  charactersAt,
  isBrokenWide,
  widthAt,
} from "../emulator/cells.ts";
import type { EmulatorRow } from "../emulator/emulator.ts";
import { colourOf, type Colour } from "./screen-lines.ts";

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

/** All cells of a row, blank ones included. */
export function styledCells(row: EmulatorRow, columns: number): StyledCell[] {
  const cells: StyledCell[] = [];
  for (let column = 0; column < columns; column += 1) {
    const isBroken = isBrokenWide(row, column, columns);
    const width = widthAt(row, column) === 2 && !isBroken ? 2 : 1;
    const at = column * CELL_NUMBERS;
    const look = lookOf(row.cells[at + 1] ?? 0, row.cells[at + 2] ?? 0);
    cells.push({ column, width, text: (!isBroken && charactersAt(row, column)) || " ", ...look });
    column += width - 1;
  }
  return cells;
}

const lookOf = (fg: number, bg: number): Omit<StyledCell, "column" | "width" | "text"> => ({
  foreground: colourOf(fg),
  background: colourOf(bg),
  isBold: (fg & IS_BOLD) !== 0,
  isDim: (bg & IS_DIM) !== 0,
  isItalic: (bg & IS_ITALIC) !== 0,
  isInverse: (fg & IS_INVERSE) !== 0,
  isHidden: (fg & IS_HIDDEN) !== 0,
  isUnderlined: (fg & IS_UNDERLINED) !== 0,
  isStruck: (fg & IS_STRUCK) !== 0,
  isOverlined: (bg & IS_OVERLINED) !== 0,
});
