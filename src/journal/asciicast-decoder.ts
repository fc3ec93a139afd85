import { Utf8Decoder } from "../core/bytes/utf8.ts";
import { LecternError } from "../core/errors.ts";
import { encodeJson, encodeResize } from "../protocol/payloads.ts";
import type { ExitStatus, JournalRecord } from "../protocol/records.ts";
import type { SessionEvent } from "../core/records.ts";
import { splitShellWords } from "../core/text/command-line.ts";
import { jsonValueOf } from "../core/json/json-value.ts";

export interface AsciicastDecoderOptions {
  /** Time of the first record, in microseconds since the Unix epoch, for recordings without a timestamp. Default 0. */
  readonly startUs?: number;
  /** A longer line throws `MALFORMED`. Default 16 Mi characters. */
  readonly lineCharsMax?: number;
}

/** A record without an offset. */
export type ImportedRecord = Omit<JournalRecord, "offset">;

/** Output of this length is split into records; an input event that exceeds `payloadBytesMax` is refused by the writer. */
const defaultLineCharsMax = 16 * 1024 * 1024;

/**
 * Reads an asciicast, version 2 or 3, into records: first the header as marks, last an exit, which is `lost` if
 * the recording has none. Events with unknown codes are ignored, as the format requires.
 */
export class AsciicastDecoder {
  readonly #startUs: number;
  readonly #lineCharsMax: number;
  readonly #utf8 = new Utf8Decoder();
  readonly #encoder = new TextEncoder();
  /** The beginning of an incomplete line. */
  #partial = "";
  #lineNumber = 0;
  #version: 2 | 3 | undefined;
  #originUs = 0;
  #timeUs = 0;
  /** Held back to the end, because nothing may follow it in a journal. */
  #exit: ExitStatus = { reason: "lost", code: null, signal: null };

  constructor(options: AsciicastDecoderOptions = {}) {
    this.#startUs = options.startUs ?? 0;
    this.#lineCharsMax = options.lineCharsMax ?? defaultLineCharsMax;
  }

  /** @throws LecternError `MALFORMED` with the line number in the message and in `details.line` */
  feed(chunk: Uint8Array): ImportedRecord[] {
    return this.#text(this.#utf8.feed(chunk));
  }

  /** @throws LecternError `MALFORMED` */
  end(): ImportedRecord[] {
    const records = this.#text(`${this.#utf8.end()}\n`);
    if (this.#version === undefined) throw this.#wrong("it has no header");
    return [...records, { timeUs: this.#timeUs, type: "exit", secret: false, payload: encodeJson(this.#exit) }];
  }

  #text(text: string): ImportedRecord[] {
    const records: ImportedRecord[] = [];
    let from = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
      this.#lineNumber += 1;
      records.push(...this.#line(this.#partial + text.slice(from, at)));
      this.#partial = "";
      from = at + 1;
    }
    this.#partial += text.slice(from);
    if (this.#partial.length > this.#lineCharsMax) {
      this.#lineNumber += 1;
      throw this.#wrong(`it has more than ${this.#lineCharsMax} characters`);
    }
    return records;
  }

  #line(line: string): ImportedRecord[] {
    const text = line.trim();
    if (text === "" || (text.startsWith("#") && this.#version === 3)) return [];
    const value = this.#parse(text);
    return this.#version === undefined ? this.#header(value) : this.#event(value);
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw this.#wrong("it is not valid JSON", cause);
    }
  }

  #header(value: unknown): ImportedRecord[] {
    if (!isObject(value)) throw this.#wrong("the header is not an object");
    const { version } = value;
    if (version !== 2 && version !== 3)
      throw this.#wrong(`wanted version 2 or 3, got ${JSON.stringify(version) ?? "none"}`);
    const term = version === 3 ? value["term"] : { cols: value["width"], rows: value["height"] };
    if (!isObject(term)) throw this.#wrong("the header has no size");
    const columns = this.#size(term["cols"]);
    const rows = this.#size(term["rows"]);
    const { timestamp, title, command } = value;
    this.#version = version;
    this.#originUs = typeof timestamp === "number" && timestamp >= 0 ? Math.round(timestamp * 1e6) : this.#startUs;
    this.#timeUs = this.#originUs;
    return [
      this.#mark({
        type: "session-start",
        command: typeof command === "string" ? splitShellWords(command) : [],
        columns,
        rows,
      }),
      this.#mark({
        type: "recording-imported",
        format: `asciicast-v${version}`,
        title: typeof title === "string" ? title : null,
      }),
    ];
  }

  #event(value: unknown): ImportedRecord[] {
    const [seconds, code, data] = Array.isArray(value) ? (value as unknown[]) : [];
    if (typeof seconds !== "number" || seconds < 0 || typeof code !== "string" || typeof data !== "string")
      throw this.#wrong('wanted [seconds, "code", "data"]');
    const sinceUs = this.#version === 3 ? this.#timeUs : this.#originUs;
    this.#timeUs = Math.max(this.#timeUs, sinceUs + Math.round(seconds * 1e6));
    switch (code) {
      case "o":
        return this.#bytes("output", data);
      case "i":
        return this.#bytes("input", data);
      case "r":
        return [this.#record("resize", this.#resize(data))];
      case "m":
        return [this.#marker(data)];
      case "x":
        this.#exit = { reason: "exited", code: this.#exitCode(data), signal: null };
        return [];
      default:
        return [];
    }
  }

  #bytes(type: "output" | "input", data: string): ImportedRecord[] {
    return data === "" ? [] : [this.#record(type, this.#encoder.encode(data))];
  }

  #record(type: ImportedRecord["type"], payload: Uint8Array): ImportedRecord {
    return { timeUs: this.#timeUs, type, secret: false, payload };
  }

  #mark(event: SessionEvent): ImportedRecord {
    return this.#record("mark", encodeJson(event));
  }

  /** A marker that was exported from a mark becomes the same mark again. */
  #marker(data: string): ImportedRecord {
    const value = data.startsWith("{") ? jsonValueOf(data) : undefined;
    if (isObject(value) && typeof value["type"] === "string") return this.#record("mark", this.#encoder.encode(data));
    return this.#mark({ type: "marker", label: data });
  }

  #resize(data: string): Uint8Array {
    const match = /^(\d{1,5})x(\d{1,5})$/.exec(data);
    return encodeResize({ columns: this.#size(Number(match?.[1])), rows: this.#size(Number(match?.[2])) });
  }

  #size(value: unknown): number {
    if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535) return value;
    throw this.#wrong(`a size is a whole number from 1 to 65535, got ${JSON.stringify(value) ?? "none"}`);
  }

  #exitCode(data: string): number {
    const code = Number(data);
    if (data !== "" && Number.isInteger(code)) return code;
    throw this.#wrong(`an exit status is a whole number, got ${JSON.stringify(data)}`);
  }

  #wrong(reason: string, cause?: unknown): LecternError {
    const line = Math.max(1, this.#lineNumber);
    const message = `Cannot read recording: line ${line}: ${reason}`;
    return new LecternError("MALFORMED", message, { details: { line }, cause });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
