/** Rows of a screen as lines of text. */
import type { Cell, EmulatorBuffer, Line } from "./xterm.ts";

export interface PlainTextOptions {
  /** First row, from the top of the scrollback. */
  readonly from: number;
  readonly columns: number;
  /** A cell to read into. */
  readonly newCell: () => Cell;
}

/**
 * Joins rows that continue the one above; drops blanks at the end of lines and empty lines at the end.
 * A wide character that did not fit leaves a blank in the last column, which is not text.
 */
export function plainText(buffer: EmulatorBuffer, options: PlainTextOptions): string {
  const cell = options.newCell();
  const lines: string[] = [];
  let line = "";
  for (let row = options.from; row < buffer.lines.length; row += 1) {
    const current = buffer.lines.get(row);
    const next = buffer.lines.get(row + 1);
    if (current === undefined) continue;
    if (next?.isWrapped === true) {
      const text = current.translateToString(false);
      line += leavesBlank(current, next, { cell, columns: options.columns }) ? text.slice(0, -1) : text;
    } else {
      lines.push((line + current.translateToString(true)).trimEnd());
      line = "";
    }
  }
  return lines.join("\n").trimEnd();
}

function leavesBlank(line: Line, next: Line, { cell, columns }: { cell: Cell; columns: number }): boolean {
  line.loadCell(columns - 1, cell);
  if (cell.getChars() !== "" || cell.getWidth() !== 1) return false;
  next.loadCell(0, cell);
  return cell.getWidth() === 2;
}
