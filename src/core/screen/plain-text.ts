/** Rows of a screen as lines of text. */
import { charactersAt, widthAt } from "../emulator/cells.ts";
import type { EmulatorRow } from "../emulator/emulator.ts";

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
      lines.push((line + textOf(row, columns)).trimEnd());
      line = "";
    }
  }
  return lines.join("\n").trimEnd();
}

function textOf(row: EmulatorRow, columns: number): string {
  let text = "";
  for (let column = 0; column < columns; column += Math.max(widthAt(row, column), 1))
    text += charactersAt(row, column) || " ";
  return text;
}

function leavesBlank(row: EmulatorRow, next: EmulatorRow, columns: number): boolean {
  return charactersAt(row, columns - 1) === "" && widthAt(row, columns - 1) === 1 && widthAt(next, 0) === 2;
}
