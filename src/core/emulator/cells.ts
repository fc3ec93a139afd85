/**
 * The form of a cell in `EmulatorRow.cells`: content, foreground and background, one number each. It is the form of xterm.js, whose rows
 * are passed on as they are: a copy for each row that is read would cost more than the reading.
 */
import type { EmulatorRow } from "./emulator.ts";

export const CELL_NUMBERS = 3;
/** In the content: the cell has several code points, in `combinedAt`. */
export const IS_COMBINED = 0x200000;
/** In the content, without `IS_COMBINED`. */
export const CODE_POINT_MASK = 0x1fffff;
/** In the content: the bits from here on are the columns of the cell; 0 is the second half of a wide character. */
export const WIDTH_SHIFT = 22;

/** In the foreground. */
export const IS_BOLD = 0x8000000;
export const IS_BLINKING = 0x20000000;
export const IS_INVERSE = 0x4000000;
export const IS_UNDERLINED = 0x10000000;
export const IS_HIDDEN = 0x40000000;
export const IS_STRUCK = 0x80000000;
/** In the background. */
export const IS_DIM = 0x8000000;
export const IS_ITALIC = 0x4000000;
export const IS_OVERLINED = 0x40000000;

/** In both: where the colour comes from. 0 is the default colour. */
export const COLOUR_MODE_MASK = 0x3000000;
export const PALETTE_16 = 0x1000000;
export const PALETTE_256 = 0x2000000;
export const TRUE_COLOUR = 0x3000000;
/** In both: the colour, or in its last 8 bits the number in the palette. */
export const RGB_MASK = 0xffffff;

const contentAt = ({ cells }: EmulatorRow, column: number): number => cells[column * CELL_NUMBERS] ?? 0;

/** Columns of a cell: 0 for the second half of a wide character. */
export const widthAt = (row: EmulatorRow, column: number): number => contentAt(row, column) >>> WIDTH_SHIFT;

/** The characters of a cell; empty if nothing was printed. */
export function charactersAt(row: EmulatorRow, column: number): string {
  const content = contentAt(row, column);
  if ((content & IS_COMBINED) !== 0) return row.combinedAt(column);
  const codePoint = content & CODE_POINT_MASK;
  return codePoint === 0 ? "" : String.fromCodePoint(codePoint);
}

/**
 * True if the cell is a wide character without its second half: a resize cut it, or it did not fit. No sequence makes such a cell again,
 * so it counts as a blank. A row may be longer than `columns` after a resize.
 */
export function isBrokenWide(row: EmulatorRow, column: number, columns: number): boolean {
  if (widthAt(row, column) !== 2) return false;
  return column + 1 >= columns || contentAt(row, column + 1) !== 0;
}
