/**
 * Splits an event stream into its events without parsing them, for code that passes a stream on unchanged. An event ends with its
 * blank line. CR, LF and CRLF may be mixed and split anywhere.
 */
import { LecternError } from "../errors.ts";

const lineFeed = 10;
const carriageReturn = 13;
const eventBytesDefault = 32 * 1024 * 1024;

export class EventSplitter {
  readonly #eventBytesMax: number;
  /** Chunks of the event that has not ended. */
  #open: Uint8Array[] = [];
  #openBytes = 0;
  #lineIsEmpty = true;
  /** A CR ended the last line: an LF right after it belongs to the same line ending. */
  #afterCarriageReturn = false;

  constructor(options: { readonly eventBytesMax?: number } = {}) {
    this.#eventBytesMax = options.eventBytesMax ?? eventBytesDefault;
  }

  /** Bytes of the event that is open. */
  get openBytes(): number {
    return this.#openBytes;
  }

  /**
   * The events that end in this chunk: views of the chunk if they lie in it entirely. Bytes of the open event are copied.
   *
   * @throws LecternError `TOO_LARGE` if an event is larger than `eventBytesMax`
   */
  feed(chunk: Uint8Array): Uint8Array[] {
    const hasReturns = this.#afterCarriageReturn || chunk.includes(carriageReturn);
    return hasReturns ? this.#readBytes(chunk) : this.#readLines(chunk);
  }

  /** The stream is over: the bytes of the open event, which may be empty. */
  end(): Uint8Array {
    return this.#close(new Uint8Array());
  }

  /** The fast path: nearly every stream has line feeds only, so whole lines can be skipped. */
  #readLines(chunk: Uint8Array): Uint8Array[] {
    const events: Uint8Array[] = [];
    let start = 0;
    for (let line = 0; ;) {
      const end = chunk.indexOf(lineFeed, line);
      if (end > line || (end === -1 && line < chunk.length)) this.#lineIsEmpty = false;
      if (end === -1) break;
      if (this.#lineIsEmpty) events.push(this.#close(chunk.subarray(start, (start = end + 1))));
      this.#lineIsEmpty = true;
      line = end + 1;
    }
    this.#keep(chunk, start);
    return events;
  }

  #readBytes(chunk: Uint8Array): Uint8Array[] {
    const events: Uint8Array[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === lineFeed && this.#afterCarriageReturn) {
        this.#afterCarriageReturn = false;
        // The second half of a CRLF: it belongs to the event that the CR ended.
        if (at === start && this.#openBytes === 0) events.push(chunk.subarray(start, (start = at + 1)));
        continue;
      }
      this.#afterCarriageReturn = byte === carriageReturn;
      if (byte !== lineFeed && byte !== carriageReturn) {
        this.#lineIsEmpty = false;
        continue;
      }
      if (this.#lineIsEmpty) {
        const end = byte === carriageReturn && chunk[at + 1] === lineFeed ? at + 2 : at + 1;
        if (end === at + 2) this.#afterCarriageReturn = false;
        events.push(this.#close(chunk.subarray(start, end)));
        start = end;
        at = end - 1;
      }
      this.#lineIsEmpty = true;
    }
    this.#keep(chunk, start);
    return events;
  }

  #keep(chunk: Uint8Array, start: number): void {
    if (start === chunk.length) return;
    this.#openBytes += chunk.length - start;
    this.#refuseLarge();
    // Not `slice`, which does not copy a Node Buffer.
    this.#open.push(new Uint8Array(chunk.subarray(start)));
  }

  #close(last: Uint8Array): Uint8Array {
    if (this.#openBytes === 0) return last;
    this.#openBytes += last.length;
    this.#refuseLarge();
    const event = new Uint8Array(this.#openBytes);
    let at = 0;
    for (const part of [...this.#open, last]) {
      event.set(part, at);
      at += part.length;
    }
    this.#open = [];
    this.#openBytes = 0;
    return event;
  }

  #refuseLarge(): void {
    if (this.#openBytes <= this.#eventBytesMax) return;
    this.#open = [];
    throw new LecternError("TOO_LARGE", `Cannot read the event: it is larger than ${this.#eventBytesMax} bytes`, {
      details: { eventBytesMax: this.#eventBytesMax },
    });
  }
}
