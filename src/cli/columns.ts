/** Tables for people: columns that line up, the last one cut to the width of the terminal. */
import { displayWidth, padToWidth, truncateToWidth } from "../core/text/width.ts";

export interface ColumnOptions {
  /** Of the terminal; lines are not cut where it is left out. */
  readonly width?: number | undefined;
}

const GAP = "  ";

/** One line per row. Cells must hold no control characters; their width is that of a terminal. */
export function formatColumns(rows: readonly (readonly string[])[], options: ColumnOptions = {}): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  }
  return rows.map((row) => {
    const line = row
      .map((cell, index) => padToWidth(cell, widths[index] ?? 0))
      .join(GAP)
      .trimEnd();
    return options.width === undefined ? line : truncateToWidth(line, options.width);
  });
}
