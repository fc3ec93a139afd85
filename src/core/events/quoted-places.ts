/** Finds what is quoted in a Markdown text: code, block quotes and quotation marks. */

interface Range {
  readonly start: number;
  readonly end: number;
}

const FENCE = /^\s*(?:(?:[-*+>]|\d{1,4}[.)])\s+)*(`{3,}|~{3,})/;
/** A line of a block quote, or one that is indented so far that it is code. */
const QUOTED_LINE = /^(?: {0,3}>| {4}|\t)/;
const OPENING = new Set(["'", '"', "“", "‘", "„", "«", "‹"]);
const CLOSING = new Set(["'", '"', "”", "’", "“", "»", "›"]);

/**
 * Returns for each of `parts`, which do not overlap and are in order, whether it is quoted. The inside of a part is not read: a backtick
 * in it does not end code.
 */
export function areQuoted(text: string, parts: readonly Range[]): boolean[] {
  const masked = withoutParts(text, parts);
  const quoted = [...fencesOf(masked), ...codeSpansOf(masked)];
  return parts.map(
    ({ start, end }) =>
      quoted.some((range) => range.start <= start && end <= range.end) ||
      QUOTED_LINE.test(masked.slice(masked.lastIndexOf("\n", start - 1) + 1, start + 1)) ||
      (OPENING.has(text[start - 1] ?? "") && CLOSING.has(text[end] ?? "")),
  );
}

function withoutParts(text: string, parts: readonly Range[]): string {
  let masked = "";
  let done = 0;
  for (const { start, end } of parts) {
    masked += text.slice(done, start) + "x".repeat(end - start);
    done = end;
  }
  return masked + text.slice(done);
}

function fencesOf(text: string): Range[] {
  const fences: Range[] = [];
  let open: { readonly start: number; readonly mark: string } | undefined;
  let start = 0;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    const end = start + line.length;
    if (open === undefined && mark !== undefined) open = { start, mark };
    else if (open !== undefined && mark?.startsWith(open.mark) === true && line.trim() === mark) {
      fences.push({ start: open.start, end });
      open = undefined;
    }
    start = end + 1;
  }
  if (open !== undefined) fences.push({ start: open.start, end: text.length });
  return fences;
}

/** Runs of backticks that a run of the same length closes, within a paragraph. */
function codeSpansOf(text: string): Range[] {
  const spans: Range[] = [];
  let start = 0;
  for (const paragraph of text.split(/(\n[ \t]*\n)/)) {
    const runs = [...paragraph.matchAll(/`+/g)];
    for (let index = 0; index < runs.length; index += 1) {
      const close = runs.findIndex((run, at) => at > index && run[0].length === runs[index]?.[0].length);
      const from = runs[index];
      const to = runs[close];
      if (from === undefined || to === undefined) continue;
      spans.push({ start: start + from.index, end: start + to.index + to[0].length });
      index = close;
    }
    start += paragraph.length;
  }
  return spans;
}
