/** Shared by snapshots and comparisons of screens. */
import type { Cell, Line } from "./xterm.ts";

/**
 * True if `cell`, loaded from `column`, is a wide character without its second half: a resize cut it, or it did not fit. No sequence
 * makes such a cell again, so it counts as a blank. `nextCell` is working memory. A row may be longer than `columns` after a resize.
 */
export function isBrokenWide(
  line: Line,
  column: number,
  { columns, cell, nextCell }: { readonly columns: number; readonly cell: Cell; readonly nextCell: Cell },
): boolean {
  if (cell.getWidth() !== 2) return false;
  if (column + 1 >= columns) return true;
  line.loadCell(column + 1, nextCell);
  return nextCell.getWidth() !== 0 || nextCell.getChars() !== "";
}
