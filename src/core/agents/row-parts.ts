import type { Colour, ScreenLine, StyledSpan } from "../screen/screen-lines.ts";
import { displayWidth, firstColumns } from "../text/width.ts";
import { isColourless } from "./colours.ts";

/** Blanks in front. */
export const indentOf = (text: string): number => text.length - text.trimStart().length;

/** `text` without at most `columns` blanks in front. */
export const dedent = (text: string, columns: number): string => text.slice(Math.min(indentOf(text), columns));

/** The first span that is not blank; undefined in a blank row. */
export const firstSpan = ({ spans }: ScreenLine): StyledSpan | undefined =>
  spans.find((span) => span.text.trim() !== "");

/** The span in which `column` is, or the last one in front of it. */
export const spanAt = ({ spans }: ScreenLine, column: number): StyledSpan | undefined =>
  spans.findLast((span) => span.column <= column);

/** The background in `column`; -1 is the default one. */
export const backgroundAt = (line: ScreenLine, column: number): Colour => spanAt(line, column)?.background ?? -1;

/** A row of nothing but a line from edge to edge, maybe with words in it. */
export const isRule = ({ text }: ScreenLine): boolean => /^\s?[─━]{2,}.*[─━]{2,}$/.test(text);

/** `line` without the columns from `columns` on, such as a scrollbar in the last one. */
export function withoutRight(line: ScreenLine, columns: number): ScreenLine {
  const last = line.spans.at(-1);
  if (last === undefined || last.column + displayWidth(last.text) <= columns) return line;
  const spans: StyledSpan[] = [];
  for (const span of line.spans) {
    const width = displayWidth(span.text);
    if (span.column + width <= columns) spans.push(span);
    else if (span.column < columns) spans.push({ ...span, text: firstColumns(span.text, columns - span.column) });
  }
  const text = spans.map((span) => span.text).join("");
  return { text: text.trimEnd(), isWrapped: line.isWrapped, spans };
}

/** The text of a row of code without the number in front of it, which has a colour of its own; undefined for any other row. */
export function withoutLineNumber(line: ScreenLine): string | undefined {
  const first = firstSpan(line);
  if (first === undefined || !/^\s*\d{1,4}\s*$/.test(first.text) || !isColourless(first.foreground)) return undefined;
  const next = line.spans[line.spans.indexOf(first) + 1];
  if (next !== undefined && next.foreground === first.foreground && next.text.trim() !== "") return undefined;
  const rest = line.text.replace(/^\s*\d{1,4} ?/, "");
  return indentOf(line.text) === 0 ? undefined : rest;
}
