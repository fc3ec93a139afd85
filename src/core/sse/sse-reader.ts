/**
 * Reads a WHATWG event stream from bytes.
 *
 * Fast with the full specification:
 * - each byte is decoded once, by a call per chunk; chunks too small to be worth a call wait until a line ends
 * - searches for line endings run on the decoded text, for which the engine has a vectorised search
 * - a line that spans chunks is a rope that is flattened once at its end, so the work is linear
 */
import { LecternError } from "../errors.ts";
import { keepShape } from "../kept-shapes.ts";
import { detached, utf8Length, Utf8Tail } from "./utf8-tail.ts";

/** One event of an event stream. */
export interface SseEvent {
  /** The event's type; `message` if the stream names none. */
  readonly event: string;
  /** The `data` lines joined by LF. */
  readonly data: string;
  /** The last event ID at the time of dispatch; empty if there was none. */
  readonly id: string;
  /** Only with `eof: "llm"`: the stream ended before the blank line that closes the event. */
  readonly incomplete?: true;
}

/** Options of an `SseReader`. */
export interface SseReaderOptions {
  /**
   * Bytes of the lines of one event in UTF-8, ended or not. One more is a `TOO_LARGE` failure. Default 32 MiB.
   * A comment counts as long as its line is open.
   */
  readonly eventBytesMax?: number;
  /**
   * What becomes of an event that the stream's end left open: `spec` (default) drops it, `llm` delivers it marked
   * `incomplete`, because model servers leave out the last blank line. An unterminated line is dropped by both.
   */
  readonly eof?: "spec" | "llm";
}

/**
 * What was read and not given out: the fields as if the open line ended here. A character that the input cut is not in them. Null for
 * comments, `retry` and unknown fields, which are no part of an event; not null for an `id` alone, which counts from the blank line on.
 */
export interface PendingSseEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
  /** False if the last line has not ended. */
  readonly lineComplete: boolean;
}

/** Shared by all readers, and never written to. */
const noTimes: number[] = [];
const lineFeed = 10;
const space = 32;
const colon = 58;
const byteOrderMark = 0xfeff;
const eventBytesDefault = 32 * 1024 * 1024;

/** Chunks up to this size are put aside until a line ends: a decoding call costs more than their bytes. */
const smallChunkBytes = 64;
/** Small chunks of this many bytes are decoded without waiting for the end of the line. */
const tailBytesMax = 1024;
/** The rest of a larger chunk is copied out of it, so that a waiting reader does not hold the chunk. */
const heldChunkChars = 4096;

/**
 * Reads a WHATWG event stream: bytes in, events out. Any chunking of the bytes gives the same events; `feed` returns an event when it gets
 * the line ending that closes it (a CR counts at once).
 *
 * An event over the limit does not affect those before it: `feed` returns them, sets `failure`, and every later `feed` or `end` throws it.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 *
 * @example
 * ```ts
 * const reader = new SseReader();
 * reader.feed(new TextEncoder().encode("data: a\n\nda")); // [{ event: "message", data: "a", id: "" }]
 * reader.feed(new TextEncoder().encode("ta: b\r\r")); // [{ event: "message", data: "b", id: "" }]
 * ```
 */
export class SseReader {
  readonly #eventBytesMax: number;
  readonly #deliverOpenEvent: boolean;
  /** Bytes that come before those of the next chunk and are not decoded yet. */
  readonly #tail = new Utf8Tail();
  /** The decoded part of the open line; only its value if `#lineIsData`. */
  #line = "";
  /** The open line is a `data` field: its value is collected and not scanned again. */
  #lineIsData = false;
  /** UTF-8 bytes of the open line, 0 between lines. */
  #lineBytes = 0;
  /** Bytes of the ended lines of the open event. */
  #eventBytes = 0;
  /** True from an event's first field to its blank line. */
  #open = false;
  /** Undefined until the event has its first `data` line: an event of empty data is still an event. */
  #data: string | undefined;
  #name = "";
  /** Set by `id`; becomes `#lastEventId` at a blank line. */
  #idBuffer = "";
  #lastEventId = "";
  #retryMs: number | null = null;
  /** Those of the last `feed` only. */
  #retriesMs = noTimes;
  #started = false;
  /** The last chunk ended with a CR: an LF at the start of the next chunk belongs to it. */
  #afterCarriageReturn = false;
  #failure: LecternError | null = null;
  /** What `end` did not give out. */
  #rest: PendingSseEvent | null = null;

  constructor(options: SseReaderOptions = {}) {
    this.#eventBytesMax = options.eventBytesMax ?? eventBytesDefault;
    this.#deliverOpenEvent = options.eof === "llm";
  }

  /** The last event ID, to be sent as `Last-Event-ID` on reconnection. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** The reconnection time that the stream requested, in milliseconds; null if none. */
  get retryMs(): number | null {
    return this.#retryMs;
  }

  /** The reconnection times in milliseconds that the last `feed` brought, in order: a stream may ask more than once. */
  get retriesMs(): readonly number[] {
    return this.#retriesMs;
  }

  /** Set once an event was larger than allowed; the reader is at its end then. */
  get failure(): LecternError | null {
    return this.#failure;
  }

  /** What was read and not given out: of the open event, and after `end` of the one that the stream's end cut. Null if nothing was. */
  get pending(): PendingSseEvent | null {
    if (this.#rest !== null) return this.#rest;
    this.#readTail();
    return this.#pendingFields(this.#data, this.#name);
  }

  /**
   * Takes the next bytes; they may be reused by the caller afterwards.
   *
   * @throws LecternError `TOO_LARGE` after an event was larger than `eventBytesMax`
   */
  feed(chunk: Uint8Array): SseEvent[] {
    if (this.#failure !== null) throw this.#failure;
    const events: SseEvent[] = [];
    this.#retriesMs = noTimes;
    this.#rest = null;
    const before = this.#tail.length;
    if (chunk.length > smallChunkBytes) {
      const text = this.#tail.decode(chunk);
      this.#readText(text, before + chunk.length - this.#tail.length, events);
    } else if (this.#tail.appendSmall(chunk) || before > tailBytesMax) {
      const text = this.#tail.decodeAll();
      this.#readText(text, before + chunk.length - this.#tail.length, events);
    }
    if (this.#openBytes() > this.#eventBytesMax) {
      // The byte order mark of the stream does not count, and may be all that is too much.
      this.#readTail();
      if (this.#openBytes() > this.#eventBytesMax) this.#fail();
    }
    return events;
  }

  /** The stream is over. Returns an event only with `eof: "llm"`; what it does not return stays in `pending`. */
  end(): SseEvent[] {
    if (this.#failure !== null) throw this.#failure;
    const events: SseEvent[] = [];
    const { pending } = this;
    if (this.#deliverOpenEvent && this.#data !== undefined) {
      events.push({ event: this.#name || "message", data: this.#data, id: this.#idBuffer, incomplete: true });
      // Only the open line was not given out.
      this.#rest = pending?.lineComplete === false ? this.#pendingFields(undefined, "") : null;
    } else this.#rest = pending;
    this.#clear();
    return events;
  }

  /** The open line added to these fields; null if all of them are empty or given out. */
  #pendingFields(data: string | undefined, name: string): PendingSseEvent | null {
    const lineComplete = this.#lineBytes === 0 && this.#tail.length === 0;
    const isComment = !this.#lineIsData && this.#line.startsWith(":");
    const isFieldOpen = !lineComplete && !isComment;
    if (!isFieldOpen && data === undefined && name === "" && this.#idBuffer === this.#lastEventId) return null;
    const { field, value } = this.#lineIsData ? { field: "data", value: this.#line } : splitField(this.#line);
    const joined = data === undefined ? value : `${data}\n${value}`;
    return {
      event: (field === "event" ? value : name) || "message",
      data: field === "data" ? joined : (data ?? ""),
      id: field === "id" && !value.includes("\0") ? value : this.#idBuffer,
      lineComplete,
    };
  }

  #openBytes(): number {
    return this.#eventBytes + this.#lineBytes + this.#tail.length;
  }

  /** Reads the small chunks that were put aside. They contain no line ending, so only the open line grows. */
  #readTail(): void {
    const before = this.#tail.length;
    if (before > 0) this.#readText(this.#tail.decodeAll(), before - this.#tail.length, []);
  }

  /** `decoded` was `bytes` bytes and follows `#line`. */
  #readText(decoded: string, bytes: number, events: SseEvent[]): void {
    const ascii = bytes === decoded.length;
    const text = decoded === "" ? "" : this.#withOneLineEnding(decoded);
    const start = this.#endOpenLine(text, ascii);
    if (start === -1) return;
    const fits = this.#eventBytes + bytes <= this.#eventBytesMax;
    const rest = fits ? this.#readLines(text, start, ascii, events) : this.#readLinesCounted(text, start, events);
    if (rest === text.length || this.#failure !== null) return;
    this.#openLine(text, rest, ascii);
  }

  /** Keeps the line that starts at `start` and does not end in `text`. */
  #openLine(text: string, start: number, ascii: boolean): void {
    const length = text.length - start;
    this.#lineBytes = ascii ? length : utf8Length(text, start, text.length);
    this.#lineIsData = length > 5 && isData(text, start);
    const line = text.slice(this.#lineIsData ? valueStart(text, start + 5) : start);
    this.#line = text.length > heldChunkChars && length < text.length / 2 ? detached(line) : line;
  }

  /** Drops the one byte order mark of the stream and makes CRLF and CR one LF each. */
  #withOneLineEnding(text: string): string {
    let start = 0;
    if (!this.#started) {
      this.#started = true;
      if (text.charCodeAt(0) === byteOrderMark) start = 1;
    } else if (this.#afterCarriageReturn) {
      this.#afterCarriageReturn = false;
      if (text.charCodeAt(0) === lineFeed) start = 1;
    }
    const rest = start === 0 ? text : text.slice(start);
    if (!rest.includes("\r")) return rest;
    this.#afterCarriageReturn = rest.endsWith("\r");
    return rest.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  }

  /** Ends the open line. Returns the start of the next line, -1 if the line does not end in this text. */
  #endOpenLine(text: string, ascii: boolean): number {
    if (this.#lineBytes === 0) return 0;
    const end = text.indexOf("\n");
    const part = end === -1 ? text : text.slice(0, end);
    const line = this.#line + part;
    const lineBytes = this.#lineBytes + (ascii ? part.length : utf8Length(part, 0, part.length));
    if (end === -1) {
      this.#line = line;
      this.#lineBytes = lineBytes;
      return -1;
    }
    const isDataLine = this.#lineIsData;
    this.#closeLine();
    if (this.#eventBytes + lineBytes > this.#eventBytesMax) {
      this.#fail();
      return -1;
    }
    if (isDataLine) this.#addData(line, lineBytes);
    else this.#readLine(line, 0, line.length, lineBytes);
    return end + 1;
  }

  /** `pending` reads these between lines as well. */
  #closeLine(): void {
    this.#line = "";
    this.#lineIsData = false;
    this.#lineBytes = 0;
  }

  #addData(value: string, bytes: number): void {
    this.#open = true;
    this.#eventBytes += bytes;
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  /** Reads all lines that end in `text`. Returns the start of the line that does not. */
  #readLines(text: string, from: number, ascii: boolean, events: SseEvent[]): number {
    let start = from;
    for (;;) {
      const end = text.indexOf("\n", start);
      if (end === -1) return start;
      const next = this.#open ? -1 : this.#readWholeEvent(text, start, end, events);
      if (next !== -1) {
        start = next;
        continue;
      }
      if (end === start) this.#dispatch(events);
      else this.#readLine(text, start, end, ascii ? end - start : utf8Length(text, start, end));
      start = end + 1;
    }
  }

  /**
   * The fast path for nearly every event: one data line, with or without a name before it. Returns the start of the next event, -1 for
   * any other or an incomplete event.
   */
  #readWholeEvent(text: string, start: number, lineEnd: number, events: SseEvent[]): number {
    const isNamed = isEvent(text, start);
    const dataStart = isNamed ? lineEnd + 1 : start;
    const dataEnd = isNamed ? text.indexOf("\n", dataStart) : lineEnd;
    if (dataEnd === -1 || text.charCodeAt(dataEnd + 1) !== lineFeed || !isData(text, dataStart)) return -1;
    const name = isNamed ? text.slice(valueStart(text, start + 6), lineEnd) : "";
    const data = text.slice(valueStart(text, dataStart + 5), dataEnd);
    this.#lastEventId = this.#idBuffer;
    events.push({ event: name || "message", data, id: this.#lastEventId });
    return dataEnd + 2;
  }

  /** `#readLines` with a size check for each line, used if an event might become too large. */
  #readLinesCounted(text: string, from: number, events: SseEvent[]): number {
    let start = from;
    for (;;) {
      const end = text.indexOf("\n", start);
      if (end === -1) return start;
      const lineBytes = utf8Length(text, start, end);
      if (this.#eventBytes + lineBytes > this.#eventBytesMax) {
        this.#fail();
        return text.length;
      }
      if (end === start) this.#dispatch(events);
      else this.#readLine(text, start, end, lineBytes);
      start = end + 1;
    }
  }

  #readLine(text: string, start: number, end: number, bytes: number): void {
    if (isData(text, start)) {
      this.#addData(text.slice(valueStart(text, start + 5), end), bytes);
    } else if (text.charCodeAt(start) !== colon) {
      this.#open = true;
      this.#eventBytes += bytes;
      if (isEvent(text, start)) this.#name = text.slice(valueStart(text, start + 6), end);
      else this.#readRareField(text.slice(start, end));
    } // Else a comment, which is not part of the event.
  }

  #readRareField(line: string): void {
    const { field, value } = splitField(line);
    if (field === "data") this.#data = this.#data === undefined ? "" : `${this.#data}\n`;
    else if (field === "event") this.#name = "";
    else if (field === "id" && !value.includes("\0")) this.#idBuffer = detached(value);
    else if (field === "retry" && /^[0-9]+$/.test(value)) this.#setRetry(Number(value));
  }

  #setRetry(milliseconds: number): void {
    this.#retryMs = milliseconds;
    if (this.#retriesMs === noTimes) this.#retriesMs = [];
    this.#retriesMs.push(milliseconds);
  }

  #dispatch(events: SseEvent[]): void {
    this.#lastEventId = this.#idBuffer;
    if (this.#data !== undefined)
      events.push({ event: this.#name || "message", data: this.#data, id: this.#lastEventId });
    this.#closeEvent();
  }

  #closeEvent(): void {
    this.#open = false;
    this.#data = undefined;
    this.#name = "";
    this.#eventBytes = 0;
  }

  #clear(): void {
    this.#closeEvent();
    this.#tail.clear();
    this.#closeLine();
  }

  #fail(): void {
    const message = `Cannot read the event: it is larger than ${this.#eventBytesMax} bytes`;
    this.#failure = new LecternError("TOO_LARGE", message, { details: { eventBytesMax: this.#eventBytesMax } });
    this.#clear();
  }
}

keepShape(new SseReader());

function splitField(line: string): { readonly field: string; readonly value: string } {
  const separator = line.indexOf(":");
  if (separator === -1) return { field: line, value: "" };
  return { field: line.slice(0, separator), value: line.slice(valueStart(line, separator + 1)) };
}

function isData(text: string, start: number): boolean {
  return (
    text.charCodeAt(start) === 100 &&
    text.charCodeAt(start + 1) === 97 &&
    text.charCodeAt(start + 2) === 116 &&
    text.charCodeAt(start + 3) === 97 &&
    text.charCodeAt(start + 4) === colon
  );
}

function isEvent(text: string, start: number): boolean {
  return (
    text.charCodeAt(start) === 101 &&
    text.charCodeAt(start + 1) === 118 &&
    text.charCodeAt(start + 2) === 101 &&
    text.charCodeAt(start + 3) === 110 &&
    text.charCodeAt(start + 4) === 116 &&
    text.charCodeAt(start + 5) === colon
  );
}

/** One space after the colon belongs to the syntax. */
const valueStart = (text: string, afterColon: number): number =>
  text.charCodeAt(afterColon) === space ? afterColon + 1 : afterColon;
