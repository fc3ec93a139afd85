import { CELL_NUMBERS, charactersAt, CODE_POINT_MASK, IS_COMBINED, WIDTH_SHIFT, widthAt } from "../emulator/cells.ts";
import type { EmulatorRow } from "../emulator/emulator.ts";

const BLANK = 0x20;

/**
 * Joins rows that continue the one above; drops blanks at the end of lines and empty lines at the end.
 * A wide character that did not fit leaves a blank in the last column, which is not text.
 */
export function plainText(rows: readonly EmulatorRow[], columns: number): string {
  const lines: string[] = [];
  let line = "";
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    if (next?.isWrapped === true) {
      line += textOf(row, leavesBlank(row, next, columns) ? columns - 1 : columns);
    } else {
      lines.push((line + textOf(row, printedColumns(row, columns))).trimEnd());
      line = "";
    }
  }
  return lines.join("\n").trimEnd();
}

/** The columns up to the last cell in which something was printed. */
function printedColumns({ cells }: EmulatorRow, columns: number): number {
  let end = columns;
  while (end > 0 && ((cells[(end - 1) * CELL_NUMBERS] ?? 0) & (IS_COMBINED | CODE_POINT_MASK)) === 0) end -= 1;
  return end;
}

/** Reads the packed cells itself: two calls for each cell took three times as long. */
function textOf(row: EmulatorRow, columns: number): string {
  const { cells } = row;
  let text = "";
  for (let column = 0; column < columns; column += 1) {
    const content = cells[column * CELL_NUMBERS] ?? 0;
    if ((content & IS_COMBINED) === 0) text += String.fromCodePoint(content & CODE_POINT_MASK || BLANK);
    else text += row.combinedAt(column);
    if (content >>> WIDTH_SHIFT === 2) column += 1;
  }
  return text;
}

const leavesBlank = (row: EmulatorRow, next: EmulatorRow, columns: number): boolean =>
  charactersAt(row, columns - 1) === "" && widthAt(row, columns - 1) === 1 && widthAt(next, 0) === 2;
