/** What stands in the line of the cursor: the fixed place of a shell or a line editor. */
import type { Frame } from "../screen/frame.ts";
import { firstColumns } from "../text/width.ts";

/** The text up to the cursor, rows that the terminal wrapped joined, and what stands right of it. */
export interface CursorLine {
  readonly before: string;
  readonly after: string;
}

const rowsMax = 12;
const lineCharsMax = 200;

/** One answer for a frame: several readers ask for it. */
const known = new WeakMap<Frame, CursorLine>();

export function cursorLine(frame: Frame): CursorLine {
  const before = known.get(frame);
  if (before !== undefined) return before;
  const line = readCursorLine(frame);
  known.set(frame, line);
  return line;
}

function readCursorLine(frame: Frame): CursorLine {
  const { row, column } = frame.cursor;
  let first = row;
  while (first > 0 && row - first < rowsMax && frame.lines[first]?.isWrapped === true) first -= 1;
  const above = frame.lines.slice(first, row).map(({ text }) => text.padEnd(frame.columns));
  const [before, after] = splitAt(frame, column);
  return { before: above.join("") + before, after };
}

/** Columns are cells, not characters: spans say where each begins. */
function splitAt(frame: Frame, column: number): [string, string] {
  let before = "";
  let after = "";
  for (const span of frame.lines[frame.cursor.row]?.spans ?? []) {
    if (span.column >= column) after += span.text;
    else {
      const left = firstColumns(span.text, column - span.column);
      before += left;
      after += span.text.slice(left.length);
    }
  }
  return [before.trimEnd().padEnd(Math.min(column, before.trimEnd().length + 1)), after.trimEnd()];
}

/**
 * The last line ends like the prompt of a shell or a REPL. Weak: many other lines do.
 * `looksLikePrompt("user@lab:~/src$ "); // true`
 */
export function looksLikePrompt(text: string): boolean {
  const line = text.trimEnd();
  return line.length > 0 && line.length <= lineCharsMax && /(?:[$#>❯➜»λ]|(?:^|\D)%|\(\w+\))$/u.test(line);
}

/** Not `app=#` and `app-#` of psql, whose signs say that the line is SQL. */
const shellSign = /(?<![=\-'"(*!;^])[#$%]$/;

/** It ends with the sign of a shell, which no line of another program is likely to do. */
export const endsLikeShell = (line: string): boolean => shellSign.test(line.trimEnd());
