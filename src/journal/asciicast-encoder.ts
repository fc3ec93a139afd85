import { Utf8Decoder } from "../core/bytes/utf8.ts";
import { SequenceRest } from "../core/vt/sequence-rest.ts";
import { exitCodeOf } from "../protocol/exit-code.ts";
import { decodeExit, decodeMark, decodeResize } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { quoteShellWords } from "../core/text/command-line.ts";

export interface AsciicastOptions {
  /** 3 (default): https://docs.asciinema.org/manual/asciicast/v3/ ; 2: .../v2/, which has no exit event. */
  readonly version?: 2 | 3;
  /** Size and title if the records do not begin with them. Default 80 x 24 and no title. */
  readonly columns?: number;
  readonly rows?: number;
  readonly title?: string;
}

/**
 * Turns records into lines of an asciicast. Output is split between code points, and invalid UTF-8 becomes U+FFFD,
 * because the format is JSON text. Marks become markers: those set by a person with their label, all others with
 * their JSON.
 */
export class AsciicastEncoder {
  readonly #options: AsciicastOptions;
  readonly #output = new Utf8Decoder();
  readonly #input = new Utf8Decoder();
  readonly #rest = new SequenceRest();
  #header: Record<string, unknown> | undefined;
  #originUs: number | undefined;
  /** Version 3 counts from the previous event; intervals are computed from exact times so rounding errors do not add up. */
  #previousUs = 0;
  #started = false;

  constructor(options: AsciicastOptions = {}) {
    this.#options = options;
  }

  /** Lines, each with its line feed. */
  feed(record: JournalRecord): string[] {
    if (this.#originUs === undefined) {
      this.#originUs = record.timeUs;
      this.#previousUs = record.timeUs;
    }
    const lines = this.#started || this.#takeForHeader(record) ? [] : this.#startLines();
    if (this.#started) lines.push(...this.#event(record));
    return lines;
  }

  end(): string[] {
    const lines = this.#started ? [] : this.#startLines();
    const timeUs = this.#previousUs;
    return [...lines, ...this.#line(timeUs, "o", this.#output.end()), ...this.#line(timeUs, "i", this.#input.end())];
  }

  /** The marks at the start of a session become part of the header. */
  #takeForHeader(record: JournalRecord): boolean {
    if (record.type !== "mark") return false;
    const event = decodeMark(record.payload);
    if (event.type === "session-start") {
      const { columns, rows } = event;
      const command = event.command.length === 0 ? {} : { command: quoteShellWords(event.command) };
      this.#header = { ...this.#header, columns, rows, ...command };
      return true;
    }
    if (event.type !== "recording-imported") return false;
    this.#header = { ...this.#header, ...(event.title === null ? {} : { title: event.title }) };
    return true;
  }

  #startLines(): string[] {
    this.#started = true;
    const { version = 3, ...fromOptions } = this.#options;
    const { columns, rows, ...rest } = { columns: 80, rows: 24, ...fromOptions, ...this.#header };
    const size = version === 3 ? { term: { cols: columns, rows } } : { width: columns, height: rows };
    const timestamp = Math.floor((this.#originUs ?? 0) / 1e6);
    return [`${JSON.stringify({ version, ...size, timestamp, ...rest })}\n`];
  }

  #event({ type, timeUs, payload }: JournalRecord): string[] {
    switch (type) {
      case "output":
        return this.#line(timeUs, "o", this.#output.feed(this.#rest.strip(payload)));
      case "input":
        return this.#line(timeUs, "i", this.#input.feed(payload));
      case "resize": {
        const { columns, rows } = decodeResize(payload);
        return this.#line(timeUs, "r", `${columns}x${rows}`);
      }
      case "mark":
        return this.#line(timeUs, "m", markerText(payload));
      case "gap":
        this.#rest.begin();
        return this.#line(timeUs, "m", `gap ${new TextDecoder().decode(payload)}`);
      case "exit": {
        const rest = this.#line(timeUs, "o", this.#output.end());
        if (this.#options.version === 2) return rest;
        return [...rest, ...this.#line(timeUs, "x", String(exitCodeOf(decodeExit(payload))))];
      }
    }
  }

  #line(timeUs: number, code: string, text: string): string[] {
    if (text === "") return [];
    const sinceUs = this.#options.version === 2 ? (this.#originUs ?? 0) : this.#previousUs;
    this.#previousUs = timeUs;
    return [`[${((timeUs - sinceUs) / 1e6).toFixed(6)}, "${code}", ${JSON.stringify(text)}]\n`];
  }
}

function markerText(payload: Uint8Array): string {
  const event = decodeMark(payload);
  return event.type === "marker" && event.label !== "" ? event.label : new TextDecoder().decode(payload);
}
