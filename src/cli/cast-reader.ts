/** Asciicast recordings, version 2 and 3, as a list of what to show when (docs.asciinema.org/manual/asciicast). */
import { LecternError } from "../core/errors.ts";

export interface CastHeader {
  readonly columns: number;
  readonly rows: number;
}

export interface CastOutput {
  /** Since the beginning of the recording. */
  readonly timeMs: number;
  readonly text: string;
}

/** One line is at most this long; a longer one is refused. */
const LINE_CHARS_MAX = 64 * 1024 * 1024;

/** Text in, outputs out, at any chunking. Events other than output only move the time. */
export class CastReader {
  #text = "";
  #header: CastHeader | undefined;
  /** Version 3 counts from the event before, version 2 from the beginning. */
  #isRelative = false;
  #timeMs = 0;

  /** Undefined before the first line has come. */
  get header(): CastHeader | undefined {
    return this.#header;
  }

  /** Throws `INVALID_INPUT` for what is no recording. */
  feed(text: string): CastOutput[] {
    this.#text += text;
    const lines = this.#text.split("\n");
    this.#text = lines.pop() ?? "";
    if (this.#text.length > LINE_CHARS_MAX) throw refuse("a line is too long");
    return lines.flatMap((line) => this.#line(line));
  }

  end(): CastOutput[] {
    const rest = this.#line(this.#text);
    this.#text = "";
    if (this.#header === undefined) throw refuse("it is empty");
    return rest;
  }

  #line(line: string): CastOutput[] {
    // Version 3 has comments.
    if (line.trim() === "" || line.startsWith("#")) return [];
    const value = parseLine(line);
    if (this.#header === undefined) {
      this.#readHeader(value);
      return [];
    }
    if (!Array.isArray(value)) throw refuse("an event is no list");
    const [time, code, data] = value as readonly unknown[];
    if (typeof time !== "number" || !(time >= 0)) throw refuse("an event has no time");
    this.#timeMs = this.#isRelative ? this.#timeMs + time * 1000 : time * 1000;
    return code === "o" && typeof data === "string" ? [{ timeMs: this.#timeMs, text: data }] : [];
  }

  #readHeader(value: unknown): void {
    const header = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
    const size = (header["version"] === 3 ? header["term"] : header) as Readonly<Record<string, unknown>> | undefined;
    if (header["version"] !== 2 && header["version"] !== 3) throw refuse("it is no asciicast of version 2 or 3");
    this.#isRelative = header["version"] === 3;
    const columns = Number(size?.["cols"] ?? size?.["width"] ?? 80);
    this.#header = { columns, rows: Number(size?.["rows"] ?? size?.["height"] ?? 24) };
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw refuse("a line is no JSON");
  }
}

const refuse = (why: string): LecternError => new LecternError("INVALID_INPUT", `Cannot read the recording: ${why}`);
