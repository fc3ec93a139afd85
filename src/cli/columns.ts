/** Tables with aligned columns, cut to the width of the terminal. */
import type { CliContext } from "./context.ts";

export interface ColumnOptions {
  /** Width of the terminal in columns; lines are not cut if it is undefined or 0. */
  readonly width?: number | undefined;
}

/** The functions of `core/text/width.ts`. */
interface Measure {
  displayWidth(text: string): number;
  truncateToWidth(text: string, columnsMax: number): string;
  padToWidth(text: string, columns: number): string;
}

const GAP = "  ";
const PRINTABLE_ASCII = /^[\u0020-\u007e]*$/;

const ascii: Measure = {
  displayWidth: (text) => text.length,
  truncateToWidth: (text, columnsMax) =>
    text.length <= columnsMax ? text : `${text.slice(0, Math.max(0, columnsMax - 1))}…`,
  padToWidth: (text, columns) => text.padEnd(columns),
};

/** One line per row. Cells must not contain control characters. */
export async function formatTable(
  rows: readonly (readonly string[])[],
  options: ColumnOptions = {},
): Promise<string[]> {
  const isPlain = rows.every((row) => row.every((cell) => PRINTABLE_ASCII.test(cell)));
  // Loaded on demand: the tables of character widths take longer to load than the rest of `lectern ls`.
  const measure = isPlain ? ascii : await import("../core/text/width.ts");
  return layOut(rows, options, measure);
}

/** Prints a table whose first row is the head. */
export async function printTable(
  rows: readonly (readonly string[])[],
  { print, style }: Pick<CliContext, "print" | "style">,
  options: ColumnOptions = {},
): Promise<void> {
  const [head = "", ...lines] = await formatTable(rows, options);
  await print([style.bold(head), ...lines].join("\n"));
}

/** A table of printable ASCII, such as the help. */
export const formatColumns = (rows: readonly (readonly string[])[]): string[] => layOut(rows, {}, ascii);

function layOut(rows: readonly (readonly string[])[], options: ColumnOptions, measure: Measure): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, measure.displayWidth(cell));
  }
  return rows.map((row) => {
    const cells = row.map((cell, index) => measure.padToWidth(cell, widths[index] ?? 0));
    const line = cells.join(GAP).trimEnd();
    // A terminal of unknown width reports 0.
    return options.width === undefined || options.width < 1 ? line : measure.truncateToWidth(line, options.width);
  });
}
