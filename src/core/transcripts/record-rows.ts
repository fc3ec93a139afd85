/** Splits a record of JSON lines into its rows, and finds whole rows on a damaged line. */
import { findByte } from "../bytes/find-byte.ts";
import { GrowingBytes } from "../bytes/joining.ts";
import { jsonValueOf } from "../json/json-value.ts";
import { asObject, type JsonObject } from "../wire/shape.ts";

/** A longer row is skipped. */
const ROW_BYTES_MAX = 16 * 1024 * 1024;
/** The search for whole rows on one damaged line ends after this many characters. */
const SEARCHED_CHARS_MAX = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** A row, or the name of a damage. */
export type RecordRow = JsonObject | "row is not valid JSON" | "row is longer than 16 MiB";

/** Lines end at 0x0A only: agents write U+2028 into strings as it is. */
export class RecordRows {
  readonly #line = new GrowingBytes();
  readonly #decoder = new TextDecoder();
  #isTooLong = false;

  read(bytes: Uint8Array): RecordRow[] {
    const rows: RecordRow[] = [];
    let from = 0;
    for (;;) {
      const end = findByte(bytes, LINE_FEED, from);
      this.#append(bytes, from, end < 0 ? bytes.length : end);
      if (end < 0) return rows;
      if (this.#isTooLong) rows.push("row is longer than 16 MiB");
      else rows.push(...rowsOf(this.#decoder.decode(this.#line.bytes())));
      this.#line.clear();
      this.#isTooLong = false;
      from = end + 1;
    }
  }

  #append(bytes: Uint8Array, from: number, to: number): void {
    if (this.#line.length + to - from > ROW_BYTES_MAX) {
      this.#isTooLong = true;
      this.#line.clear();
    }
    if (!this.#isTooLong) this.#line.append(bytes, from, to);
  }
}

function rowsOf(line: string): RecordRow[] {
  const row = asObject(jsonValueOf(line));
  if (row !== undefined) return [row];
  // Copilot has filled the ends of lines with NULs.
  const text = line.replaceAll("\0", " ").trimEnd();
  return text.trimStart() === "" ? [] : wholeRowsOf(text);
}

/** Rows that were written on one line, or after one that was cut: each ends with the line, or before the next. */
function wholeRowsOf(text: string): RecordRow[] {
  const rows: RecordRow[] = [];
  let searchedChars = 0;
  let from = 0;
  let isDamaged = false;
  while (from < text.length && searchedChars < SEARCHED_CHARS_MAX) {
    const start = text.indexOf('{"', from);
    if (start < 0) break;
    const end = endOfObject(text, start);
    searchedChars += end - start;
    const isAtEnd = text.slice(end, end + 100).trimStart() === "" || text.slice(end, end + 100).trimStart()[0] === "{";
    const row = isAtEnd ? asObject(jsonValueOf(text.slice(start, end))) : undefined;
    if (text.slice(from, start).trim() !== "" || row === undefined) isDamaged = true;
    if (row !== undefined) rows.push(row);
    from = row === undefined ? start + 2 : end;
  }
  if (isDamaged || text.slice(from).trim() !== "") rows.push("row is not valid JSON");
  return rows;
}

/** Behind the brace that closes the one at `start`; the end of the text if there is none. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (isString) {
      if (char === "\\") at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}
