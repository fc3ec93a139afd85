/** A row of a transcript as an agent's profile understands it: what it belongs to and the text in it, without styles and marks. */
import { displayWidth } from "../text/width.ts";
import type { Colour, ScreenLine, StyledSpan } from "../screen/screen-lines.ts";
import { isColourless, isGrey } from "./colours.ts";

/**
 * What a row belongs to: a role of messages, or
 * - `blank`: nothing; separates paragraphs
 * - `covered`: something stands over it for a while; what stood there before is kept
 * - `gap`: rows that were never seen; no profile says so
 * - `skip`: decoration inside or between messages, such as a tip
 * - `notice`: decoration that ends a message, such as the time that a turn took
 */
export type RowRole =
  | "blank"
  | "covered"
  | "gap"
  | "skip"
  | "notice"
  | "welcome"
  | "user"
  | "assistant"
  | "tool-call"
  | "tool-result"
  | "command"
  | "error"
  | "exit";

/** What a profile says of one row; context-free, so that it is asked once per row. */
export interface RowReading {
  /** null: goes on with what stands above. */
  readonly role: RowRole | null;
  /** It begins a message even where the row above has the same role. */
  readonly isStart?: boolean;
  /** Without marks on the left and scrollbars on the right; blanks in front are part of the text. */
  readonly text: string;
  /** Blanks in front of the rows that follow that are not text. */
  readonly hang?: number;
  /** The role of a row without one where it stands behind a tool call. */
  readonly behindCall?: RowRole;
  /** Directly under a row of a call it is part of that call. */
  readonly joinsCall?: boolean;
  /** It says of a tool only that there was one; a row that says which is better. */
  readonly isSummary?: boolean;
}

/** A row in a transcript: plain JSON. */
export interface Row {
  readonly role: RowRole | null;
  readonly isStart: boolean;
  readonly text: string;
  readonly hang: number;
  readonly behindCall: RowRole | null;
  readonly joinsCall?: boolean;
  readonly isSummary: boolean;
  /** Equal for rows that look the same but for blinking marks. */
  readonly key: string;
  /** Column behind the last character, and the column at which the agent wraps. */
  readonly end: number;
  readonly limit: number;
  /** Its number on the normal screen; -1 on the alternate one. */
  readonly line: number;
}

/** Makes a row of what a profile read. */
export function rowOf(
  line: ScreenLine,
  reading: RowReading,
  place: { readonly key: string; readonly limit: number; readonly line: number },
): Row {
  const { role, text, isStart = false, hang = 0, behindCall = null, isSummary = false, joinsCall } = reading;
  const limit = boxLimit(line, place.limit);
  return {
    role: text === "" && role === null ? "blank" : role,
    isStart,
    text,
    hang,
    behindCall,
    isSummary,
    ...(joinsCall !== undefined && { joinsCall }),
    key: place.key,
    end: endColumn(withoutRight(line, limit)),
    limit,
    line: place.line,
  };
}

/** Stands where rows were never seen. */
export const gapRow: Row = {
  role: "gap",
  isStart: false,
  text: "…",
  hang: 0,
  behindCall: null,
  isSummary: false,
  key: "",
  end: 0,
  limit: 0,
  line: -1,
};

/** Inside of a box a row ends before its edge, and a blank. */
function boxLimit({ text }: ScreenLine, limit: number): number {
  const own = /^(\s*[│┃].*) [│┃]$/u.exec(text)?.[1];
  return own === undefined ? limit : Math.min(limit, displayWidth(own));
}

function endColumn({ spans }: ScreenLine): number {
  for (let index = spans.length - 1; index >= 0; index -= 1) {
    const span = spans[index];
    const text = span?.text.trimEnd() ?? "";
    if (span !== undefined && text !== "") return span.column + displayWidth(text);
  }
  return 0;
}

/** What makes rows the same row: not blanks, frames and marks that change. */
export const keyOf = (text: string, changing: RegExp): string =>
  text
    .replace(changing, "")
    .replaceAll(/[\s\u2500-\u257F]+/g, " ")
    .trim();

/** Blanks in front. */
export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** `text` without at most `columns` blanks in front. */
export function dedent(text: string, columns: number): string {
  return text.slice(Math.min(indentOf(text), columns));
}

/** The span that is not blank and stands first; undefined in a blank row. */
export function firstSpan({ spans }: ScreenLine): StyledSpan | undefined {
  return spans.find((span) => span.text.trim() !== "");
}

/** The background in `column`; -1 is none. */
export function backgroundAt({ spans }: ScreenLine, column: number): Colour {
  const span = spans.findLast((candidate) => candidate.column <= column);
  return span === undefined ? -1 : span.background;
}

/** True where each character is dim or of a middle grey: what agents write beside what matters. */
export function isFaint({ spans }: ScreenLine): boolean {
  return spans.every((span) => span.text.trim() === "" || span.isDim || isGrey(span.foreground));
}

/** `line` without a scrollbar in its last column, or without all from `to` on. */
export function withoutRight(line: ScreenLine, columns: number): ScreenLine {
  if (line.spans.length === 0) return line;
  const spans: StyledSpan[] = [];
  for (const span of line.spans) {
    const width = displayWidth(span.text);
    if (span.column + width <= columns) spans.push(span);
    else if (span.column < columns) spans.push({ ...span, text: firstColumns(span.text, columns - span.column) });
  }
  const text = spans.map((span) => span.text).join("");
  return { text: text.trimEnd(), isWrapped: line.isWrapped, spans };
}

/** As much of `text` as `columns` columns hold. */
function firstColumns(text: string, columns: number): string {
  if (displayWidth(text) === text.length) return text.slice(0, columns);
  let end = text.length;
  while (end > 0 && displayWidth(text.slice(0, end)) > columns) end -= 1;
  return text.slice(0, end).replace(/[\uD800-\uDBFF]$/, "");
}

/** The text between the first and the last mark of a box, `│ text │`; null where the row is none of a box. */
export function boxed(text: string): string | null {
  return /^\s?[│┃]\s?(.*?)\s*[│┃]?$/.exec(text)?.[1] ?? null;
}

/** `text` of a row of code whose number stands in front of it, in a colour of its own, without the number; else undefined. */
export function withoutLineNumber(line: ScreenLine): string | undefined {
  const first = firstSpan(line);
  if (first === undefined || !/^\s*\d{1,4}\s*$/.test(first.text) || !isColourless(first.foreground)) return undefined;
  const next = line.spans[line.spans.indexOf(first) + 1];
  if (next !== undefined && next.foreground === first.foreground && next.text.trim() !== "") return undefined;
  const rest = line.text.replace(/^\s*\d{1,4} ?/, "");
  return indentOf(line.text) === 0 ? undefined : rest;
}
