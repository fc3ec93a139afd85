import { LecternError } from "../errors.ts";
import { decodeBase64Url, encodeBase64Url } from "../bytes/base64url.ts";
import { crc32 } from "../bytes/crc32.ts";

/**
 * An encoded event that was found. The encoding survives the screen of an agent: it has no blanks, no Markdown characters, and either a
 * checksum, or its payload twice for models, which cannot compute one.
 *
 *     @@FE2:NAME:<form>:<form>@@
 *
 *     @@FE1:NAME:<base64url of JSON>:<crc32>@@
 *
 *     @@FE1 begin <lines> NAME
 *     @@1 <base64url>
 *     @@2 <base64url>
 *     @@FE1 end <crc32>
 *
 * The form is that of web pages: `files=3&summary=All+tests+pass`. The checksum is over `NAME:<base64url>`, as 8 lower-case hexadecimal
 * digits. A checksum over only the base64url is accepted too, with `isNameChecked` false.
 */
export interface EncodedEvent {
  readonly name: string;
  readonly text: string;
  /** What is wrong with the payload; `text` is as it was written then. */
  readonly problem?: string;
  readonly isNameChecked: boolean;
  /** Nothing else is on its rows but marks and line numbers: it is not part of a sentence. */
  readonly isAlone: boolean;
  readonly firstRow: number;
  readonly lastRow: number;
  /** Where it begins in the first row, and the column behind its end in the last one. */
  readonly column: number;
  readonly end: number;
  /** The same for each sighting of the same name and payload. */
  readonly key: string;
}

interface EncodedReading {
  /** The rows are the lines of a text that no screen has changed. */
  readonly isExact?: boolean;
}

const OPENER = /@@FE[12]:/g;
const OPENER_CHARS = 6;
const NAME = /^[A-Za-z][\w-]{0,63}$/;
const TOKEN = /^@@FE1:([A-Za-z][\w-]{0,63}):([\w-]+):([0-9a-f]{8})@@/;
const FORM_TOKEN = /^@@FE2:([A-Za-z][\w-]{0,63}):([\w.%+=&-]*):\2@@/;
const BLOCK_BEGIN = /@@FE1 begin (\d{1,4}) ([A-Za-z][\w-]{0,63})(?![\w-])/;
const BLOCK_LINE = /@@(\d{1,4}) ([\w-]+)/;
const BLOCK_END = /@@FE1 end ([0-9a-f]{8})(?![0-9a-f])/;
/** Rows that one token may take; longer ones are not found. */
const TOKEN_ROWS_MAX = 400;
/** Rows between the lines of a block that are not of it, such as those of a status line. */
const FOREIGN_ROWS_MAX = 40;
const LINE_CHARS = 48;
const FORM_PROBLEM =
  'The payload is not a web form: write "name=value" joined by "&", and %XX for all but letters, digits, dots and dashes (%5F for "_")';

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
  return `@@FE1:${name}:${body}:${checksum(`${name}:${body}`)}@@`;
}

/**
 * Encodes an event as a model writes it: the payload as a form, twice. Throws as `encodeEvent` does.
 *
 * @example
 * ```ts
 * encodeEventForm("DONE", { files: 3 }); // "@@FE2:DONE:files=3:files=3@@"
 * ```
 */
export function encodeEventForm(name: string, payload: unknown): string {
  encodeBody(name, payload);
  const form = writeForm(payload);
  return `@@FE2:${name}:${form}:${form}@@`;
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
export function findEncodedEvents(rows: readonly string[], reading: EncodedReading = {}): EncodedEvent[] {
  const found: EncodedEvent[] = [];
  for (const [row, text] of rows.entries()) {
    for (const column of possibleStarts(text)) {
      const event = readToken(rows, { row, column }, reading);
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

const checksum = (text: string): string => crc32(encoder.encode(text)).toString(16).padStart(8, "0");

/** Columns where a token may begin: at each opener, and at the end of the row where only a part of the opener has room. */
function possibleStarts(row: string): number[] {
  const starts: number[] = [];
  for (const { index } of row.matchAll(OPENER)) starts.push(index);
  const partial = /@(?:@(?:F(?:E[12]?)?)?)?[^\w:@.-]*$/.exec(row);
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
  return row.replaceAll(/[^\w:@.%+=&-]/g, "");
}

function firstOf(row: string): string {
  return /[\w:@.%+=&-]+/.exec(row)?.[0] ?? "";
}

const withoutLineNumber = (row: string): string => row.replace(/^[^\w@]*\d{1,5}[^\w:@-]/, "");

function readToken(
  rows: readonly string[],
  { row: firstRow, column }: { readonly row: number; readonly column: number },
  { isExact = false }: EncodedReading,
): EncodedEvent | undefined {
  let damaged: EncodedEvent | undefined;
  for (const clean of CLEANERS) {
    let joined = clean(tokenPart(rows[firstRow]?.slice(column) ?? ""));
    for (let row = firstRow; row < firstRow + TOKEN_ROWS_MAX; row++) {
      const span = { firstRow, lastRow: row, column };
      const event = readWhole(joined, { isExact, spanOf: (end) => ({ ...span, ...endOf(rows, span, end) }) });
      if (event !== null) {
        if (event !== undefined && event.problem === undefined) return event;
        damaged ??= event;
        break;
      }
      const next = clean(rows[row + 1] ?? "");
      if (next === "" || !mayContinue(joined)) break;
      joined += next;
    }
  }
  return damaged;
}

interface TokenReading {
  readonly isExact: boolean;
  /** Gets what is behind the end of the token. */
  readonly spanOf: (behind: string) => Span;
}

/** A token ends with the first `@@` behind its opener: the rest of a long row is not read again for each opener in it. */
function tokenPart(text: string): string {
  const end = text.indexOf("@@", OPENER_CHARS);
  return end === -1 ? text : text.slice(0, end + 2);
}

/** Null if the token has not ended; undefined if it has, and is damaged. */
function readWhole(joined: string, { isExact, spanOf }: TokenReading): EncodedEvent | undefined | null {
  if (!joined.includes("@@", OPENER_CHARS)) return null;
  const [all = "", name = "", body = "", expected = ""] = TOKEN.exec(joined) ?? [];
  if (all !== "") return checkedEvent({ name, body, expected }, spanOf(joined.slice(all.length)));
  const [formToken = "", formName = "", form = ""] = FORM_TOKEN.exec(joined) ?? [];
  if (formToken === "") return undefined;
  const payload = readForm(form, { isExact });
  const span = spanOf(joined.slice(formToken.length));
  const event = { ...span, name: formName, isNameChecked: true, key: `${formName}:${form}` };
  return payload === undefined
    ? { ...event, text: form, problem: FORM_PROBLEM }
    : { ...event, text: JSON.stringify(payload) };
}

type Span = Pick<EncodedEvent, "firstRow" | "lastRow" | "column" | "end" | "isAlone">;

function endOf(
  rows: readonly string[],
  { firstRow, lastRow, column }: Pick<Span, "firstRow" | "lastRow" | "column">,
  behind: string,
): Pick<Span, "end" | "isAlone"> {
  const before = (rows[firstRow] ?? "").slice(0, column);
  const last = rows[lastRow] ?? "";
  // The row may begin with the rest of the opener.
  const rest = /^[^\w@]*@{0,2}F?E?[12]?:/.exec(last)?.[0].length ?? 0;
  const end = last.indexOf("@", lastRow === firstRow ? column + OPENER_CHARS : rest);
  const tail = last.slice(end === -1 ? last.length : end).replace(/^@+/, "");
  const isAlone = !/\p{L}/u.test(before) && !/[\p{L}\p{N}]/u.test(tail + behind);
  return { end: last.length - tail.length, isAlone };
}

/** False if no further row could make a token of it. */
function mayContinue(joined: string): boolean {
  if (joined.length < OPENER_CHARS) return "@@FE1:".startsWith(joined) || "@@FE2:".startsWith(joined);
  return /^@@FE[12]:/.test(joined);
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
    if (BLOCK_BEGIN.test(text)) return undefined;
    const [, expected] = BLOCK_END.exec(text) ?? [];
    if (expected !== undefined)
      return lines === lineCount ? checkedEvent({ name, body, expected }, blockSpan(rows, firstRow, row)) : undefined;
    const [, lineNumber, line = ""] = BLOCK_LINE.exec(text) ?? [];
    if (Number(lineNumber) !== lines + 1) continue;
    body += line;
    lines++;
  }
  return undefined;
}

const blockSpan = (rows: readonly string[], firstRow: number, lastRow: number): Span => {
  return { firstRow, lastRow, column: 0, end: (rows[lastRow] ?? "").length, isAlone: true };
};

function checkedEvent(
  { name, body, expected }: { readonly name: string; readonly body: string; readonly expected: string },
  span: Span,
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

// Payloads that a model writes itself, without a tool: as a form of a web page, `files=3&summary=All+tests+pass`. Models know the form by
// heart, it has no blanks and no characters that Markdown changes, and it needs no checksum: the payload is written twice.

const PERCENT = /%(?![0-9A-Fa-f]{2})/;
const LITERAL = /^(?:true|false|null|"[^]*"|\[[^]*\]|\{[^]*\})$/;

/**
 * The JSON of a form: an object of its fields, or one value if there is no `=`. Numbers, `true`, `false`, `null` and JSON texts are read
 * as such, everything else is text. Undefined if it is not a form, or has an underscore: renderers of Markdown remove these in pairs, from
 * both copies of the payload alike. `isExact`: no screen has changed it.
 * `readForm("files=3&summary=All+tests+pass"); // { files: 3, summary: "All tests pass" }`
 */
export function readForm(form: string, { isExact = false } = {}): unknown {
  if (PERCENT.test(form) || (!isExact && form.includes("_"))) return undefined;
  try {
    if (form === "") return null;
    if (!form.includes("=")) return form.includes("&") ? undefined : valueOf(form);
    const fields = form.split("&").map((field) => {
      const [name = "", ...rest] = field.split("=");
      return rest.length === 1 && name !== "" ? ([decoded(name), valueOf(rest[0] ?? "")] as const) : undefined;
    });
    const names = new Set(fields.map((field) => field?.[0]));
    if (names.has(undefined) || names.size < fields.length) return undefined;
    return Object.fromEntries(fields.filter((field) => field !== undefined));
  } catch {
    return undefined; // Percent signs that are not UTF-8.
  }
}

/** The form of a JSON value. `writeForm({ files: 3, path: "src/a_b.ts" }); // "files=3&path=src%2Fa%5Fb.ts"` */
export function writeForm(value: unknown): string {
  if (value === null) return "";
  if (typeof value !== "object" || Array.isArray(value) || Object.keys(value).length === 0) return encodedValue(value);
  return Object.entries(value)
    .map(([name, field]) => `${encoded(name)}=${field === null ? "null" : encodedValue(field)}`)
    .join("&");
}

/** A text that would be read as something else is written as JSON. */
function encodedValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isText = typeof value === "string" && (valueOf(encoded(value)) !== value || value === "");
  return encoded(isText ? JSON.stringify(value) : text);
}

const encoded = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll("%20", "+")
    .replaceAll(/[!'()*~_]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const decoded = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));

function valueOf(form: string): unknown {
  const text = decoded(form);
  if (String(Number(text)) === text && Number.isFinite(Number(text))) return Number(text);
  if (!LITERAL.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
