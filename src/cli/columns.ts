/** Tables for people: columns that line up, the last one cut to the width of the terminal. */

export interface ColumnOptions {
  /** Of the terminal; lines are not cut where it is left out. */
  readonly width?: number | undefined;
}

const GAP = "  ";

/** One line per row. Cells must hold no control characters; their width is counted in code points. */
export function formatColumns(rows: readonly (readonly string[])[], options: ColumnOptions = {}): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  }
  return rows.map((row) => {
    const cells = row.map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - widthOf(cell)));
    return cut(cells.join(GAP).trimEnd(), options.width);
  });
}

const widthOf = (text: string): number => [...text].length;

function cut(line: string, width: number | undefined): string {
  if (width === undefined || widthOf(line) <= width) return line;
  return `${[...line].slice(0, Math.max(0, width - 1)).join("")}…`;
}
