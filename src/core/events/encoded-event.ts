import { LecternError } from "../errors.ts";
import { decodeBase64Url, encodeBase64Url } from "../bytes/base64url.ts";
import { crc32 } from "../bytes/crc32.ts";

/**
 * An encoded event that was found. The encoding survives the screen of an agent: it has no blanks, no Markdown characters, and a checksum.
 *
 *     @@FE1:NAME:<base64url of JSON>:<crc32>@@
 *
 *     @@FE1 begin <lines> NAME
 *     @@1 <base64url>
 *     @@2 <base64url>
 *     @@FE1 end <crc32>
 *
 * The checksum is over `NAME:<base64url>`, as 8 lower-case hexadecimal digits. A checksum over only the base64url is accepted too, with
 * `isNameChecked` false.
 */
export interface EncodedEvent {
  readonly name: string;
  /** The JSON text. */
  readonly text: string;
  readonly isNameChecked: boolean;
  /** First and last row of the sighting. */
  readonly firstRow: number;
  readonly lastRow: number;
  /** The same for each sighting of the same name and payload. */
  readonly key: string;
}

const OPENER = "@@FE1:";
const NAME = /^[A-Za-z][\w-]{0,63}$/;
const TOKEN = /^@@FE1:([A-Za-z][\w-]{0,63}):([\w-]+):([0-9a-f]{8})@@/;
const BLOCK_BEGIN = /@@FE1 begin (\d{1,4}) ([A-Za-z][\w-]{0,63})(?![\w-])/;
const BLOCK_LINE = /@@(\d{1,4}) ([\w-]+)/;
const BLOCK_END = /@@FE1 end ([0-9a-f]{8})(?![0-9a-f])/;
/** Rows that one token may take; longer ones are not found. */
const TOKEN_ROWS_MAX = 400;
/** Rows between the lines of a block that are not of it, such as those of a status line. */
const FOREIGN_ROWS_MAX = 40;
const LINE_CHARS = 48;

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Encodes an event on one line. Throws `INVALID_INPUT` if the name is not valid or the payload is not JSON.
 *
 * @example
 * ```ts
 * encodeEvent("TASK_COMPLETE", { result: "ok" }); // "@@FE1:TASK_COMPLETE:eyJyZXN1bHQiOiJvayJ9:b3077ae4@@"
 * ```
 */
export function encodeEvent(name: string, payload: unknown): string {
  const body = encodeBody(name, payload);
  return `${OPENER}${name}:${body}:${checksum(`${name}:${body}`)}@@`;
}

/** Encodes an event as a block of numbered lines, for a long payload in a fenced code block. Throws as `encodeEvent` does. */
export function encodeEventBlock(name: string, payload: unknown): string {
  const body = encodeBody(name, payload);
  const lines = Array.from({ length: Math.ceil(body.length / LINE_CHARS) }, (_, index) =>
    body.slice(index * LINE_CHARS, (index + 1) * LINE_CHARS),
  );
  return [
    `@@FE1 begin ${lines.length} ${name}`,
    ...lines.map((line, index) => `@@${index + 1} ${line}`),
    `@@FE1 end ${checksum(`${name}:${body}`)}`,
  ].join("\n");
}

/**
 * Finds the encoded events in the rows of a screen, in order, one entry per occurrence. Undoes wraps, indents, side bars and line numbers:
 * it tries several ways to join the rows, and the checksum decides.
 */
export function findEncodedEvents(rows: readonly string[]): EncodedEvent[] {
  const found: EncodedEvent[] = [];
  for (const [row, text] of rows.entries()) {
    for (const column of possibleStarts(text)) {
      const event = readToken(rows, row, column);
      if (event !== undefined) found.push(event);
    }
    const block = readBlock(rows, row);
    if (block !== undefined) found.push(block);
  }
  return found;
}

function encodeBody(name: string, payload: unknown): string {
  if (!NAME.test(name)) {
    throw new LecternError(
      "INVALID_INPUT",
      `Cannot encode event "${name}": wanted a letter, then at most 63 of A-Z a-z 0-9 _ -`,
    );
  }
  const json = JSON.stringify(payload) as string | undefined;
  if (json === undefined)
    throw new LecternError("INVALID_INPUT", `Cannot encode event "${name}": its payload is not JSON`);
  return encodeBase64Url(encoder.encode(json));
}

function checksum(text: string): string {
  return crc32(encoder.encode(text)).toString(16).padStart(8, "0");
}

/** Columns where a token may begin: at each opener, and at the end of the row where only a part of the opener has room. */
function possibleStarts(row: string): number[] {
  const starts: number[] = [];
  for (let column = row.indexOf(OPENER); column !== -1; column = row.indexOf(OPENER, column + 1)) starts.push(column);
  const partial = /@(?:@(?:F(?:E1?)?)?)?[^\w:@.-]*$/.exec(row);
  if (partial !== null) starts.push(partial.index);
  return starts;
}

/**
 * Ways to clean a row, from the most to the least likely: all of its token characters; the first run of them, where a side panel follows;
 * and both behind a line number.
 */
const CLEANERS: readonly ((row: string) => string)[] = [
  allOf,
  firstOf,
  (row) => allOf(withoutLineNumber(row)),
  (row) => firstOf(withoutLineNumber(row)),
];

function allOf(row: string): string {
  return row.replaceAll(/[^\w:@-]/g, "");
}

function firstOf(row: string): string {
  return /[\w:@-]+/.exec(row)?.[0] ?? "";
}

function withoutLineNumber(row: string): string {
  return row.replace(/^[^\w@]*\d{1,5}[^\w:@-]/, "");
}

function readToken(rows: readonly string[], firstRow: number, column: number): EncodedEvent | undefined {
  for (const clean of CLEANERS) {
    let joined = clean(rows[firstRow]?.slice(column) ?? "");
    for (let row = firstRow; row < firstRow + TOKEN_ROWS_MAX; row++) {
      const match = TOKEN.exec(joined);
      if (match !== null) {
        const [, name = "", body = "", expected = ""] = match;
        const event = checkedEvent({ name, body, expected }, { firstRow, lastRow: row });
        if (event !== undefined) return event;
        break;
      }
      const next = clean(rows[row + 1] ?? "");
      if (next === "" || !mayContinue(joined)) break;
      joined += next;
    }
  }
  return undefined;
}

/** False where no further row could make a token of it: another `@@` stands in it, or it does not begin as one. */
function mayContinue(joined: string): boolean {
  if (joined.length < OPENER.length) return OPENER.startsWith(joined);
  return joined.startsWith(OPENER) && !joined.includes("@@", OPENER.length);
}

function readBlock(rows: readonly string[], firstRow: number): EncodedEvent | undefined {
  const [, count = "0", name = ""] = BLOCK_BEGIN.exec(rows[firstRow] ?? "") ?? [];
  const lineCount = Number(count);
  if (lineCount === 0) return undefined;
  const lastRow = Math.min(rows.length, firstRow + lineCount + FOREIGN_ROWS_MAX);
  let body = "";
  let lines = 0;
  for (let row = firstRow + 1; row < lastRow; row++) {
    const text = rows[row] ?? "";
    const [, expected] = BLOCK_END.exec(text) ?? [];
    if (expected !== undefined) {
      return lines === lineCount ? checkedEvent({ name, body, expected }, { firstRow, lastRow: row }) : undefined;
    }
    const [, lineNumber, line = ""] = BLOCK_LINE.exec(text) ?? [];
    if (Number(lineNumber) !== lines + 1) continue;
    body += line;
    lines++;
  }
  return undefined;
}

interface Candidate {
  readonly name: string;
  readonly body: string;
  readonly expected: string;
}

function checkedEvent(
  { name, body, expected }: Candidate,
  span: { readonly firstRow: number; readonly lastRow: number },
): EncodedEvent | undefined {
  const isNameChecked = checksum(`${name}:${body}`) === expected;
  if (!isNameChecked && checksum(body) !== expected) return undefined;
  const bytes = decodeBase64Url(body);
  if (bytes === undefined) return undefined;
  try {
    return { name, text: strictDecoder.decode(bytes), isNameChecked, ...span, key: `${name}:${body}` };
  } catch {
    return undefined; // Not UTF-8, so no JSON: not ours.
  }
}
