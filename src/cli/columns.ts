/** Tables for people: columns that line up, the last one cut to the width of the terminal. */
import type { CliContext } from "./context.ts";

export interface ColumnOptions {
  /** Of the terminal; lines are not cut where it is left out. */
  readonly width?: number | undefined;
}

/** How wide text is and how it is cut and filled up, as `core/text/width.ts` does it. */
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

/** One line per row. Cells must hold no control characters. */
export async function formatTable(
  rows: readonly (readonly string[])[],
  options: ColumnOptions = {},
): Promise<string[]> {
  const isPlain = rows.every((row) => row.every((cell) => PRINTABLE_ASCII.test(cell)));
  // The tables of widths take longer to load than all the rest of `lectern ls`: only who needs them pays.
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

/** The same for cells of printable ASCII, such as those of the help. */
export const formatColumns = (rows: readonly (readonly string[])[]): string[] => layOut(rows, {}, ascii);

function layOut(rows: readonly (readonly string[])[], options: ColumnOptions, measure: Measure): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, measure.displayWidth(cell));
    }
  }
  return rows.map((row) => {
    const cells = row.map((cell, index) => measure.padToWidth(cell, widths[index] ?? 0));
    const line = cells.join(GAP).trimEnd();
    // A terminal that does not know its width says 0.
    return options.width === undefined || options.width < 1 ? line : measure.truncateToWidth(line, options.width);
  });
}
