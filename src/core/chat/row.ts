/** A row of a transcript: what it belongs to and the text in it, without styles and marks. */
import { replaceFirst, type Pattern } from "../agents/pattern.ts";
import type { RowReading, RowRole } from "../agents/chat-rows.ts";
import { displayWidth, firstColumns } from "../text/width.ts";
import type { ScreenLine } from "../screen/screen-lines.ts";

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
  /** Nothing shows that it follows what stands above it. */
  readonly isDoubtful?: true;
  /** What a person or the agent said was written over in front of it. */
  readonly isBehindLoss?: true;
}

/** Makes a row of what the rules read. */
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
    end: textEnd(line, text) ?? endColumn(line, limit),
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

/** Behind `text`, where rules have taken something away that stands right of it; null where it does not stand as it is in the row. */
function textEnd({ text: whole }: ScreenLine, text: string): number | null {
  const at = text === "" ? -1 : whole.lastIndexOf(text);
  return at === -1 || at + text.length === whole.length ? null : displayWidth(whole.slice(0, at + text.length));
}

/** Behind the last character in front of `limit`. */
function endColumn({ spans }: ScreenLine, limit: number): number {
  for (let index = spans.length - 1; index >= 0; index -= 1) {
    const span = spans[index];
    if (span === undefined || span.column >= limit) continue;
    const whole = span.text.trimEnd();
    const isCut = span.column + displayWidth(whole) > limit;
    const text = isCut ? firstColumns(span.text, limit - span.column).trimEnd() : whole;
    if (text !== "") return span.column + displayWidth(text);
  }
  return 0;
}

/** What makes rows the same row: not blanks, frames and marks that change. */
export const rowKey = (text: string, changing: Pattern | null): string =>
  (changing === null ? text : replaceFirst(text, changing, "$1")).replaceAll(/[\s\u2500-\u257F]+/g, " ").trim();
