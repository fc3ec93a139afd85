/** Operating system commands (OSC, ECMA-48 8.3.89) with their places, out of a stream of bytes: titles, shell marks, program status. */

/** `ESC ] command ; data` up to BEL or ST. */
export interface OscSequence {
  /** Offset of its ESC. */
  readonly offset: number;
  /** Offset behind its terminator. */
  readonly end: number;
  /** The number in front of the first semicolon. */
  readonly command: number;
  /** What follows the first semicolon; empty where there is none. Invalid UTF-8 is replaced. */
  readonly data: string;
}

/** A sequence that has begun, plain data. */
export interface OscReaderState {
  readonly state: "ground" | "escape" | "string" | "string-escape";
  readonly start: number;
  readonly held: readonly number[];
  readonly bytes: number;
}

const escape = 0x1b;
const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;
const bracket = 0x5d;
const backslash = 0x5c;
const semicolon = 0x3b;
const COMMAND_DIGITS_MAX = 6;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads whole sequences at any chunking. One that is longer than `sequenceBytesMax` is swallowed, one that CAN, SUB or another
 * escape sequence cuts is dropped, as a terminal does.
 *
 * @example
 * ```ts
 * new OscReader().feed(new TextEncoder().encode("\u001b]133;D;0\u0007"), 100);
 * // [{ offset: 100, end: 110, command: 133, data: "D;0" }]
 * ```
 */
export class OscReader {
  readonly #sequenceBytesMax: number;
  #state: OscReaderState["state"] = "ground";
  #start = 0;
  /** Bytes behind `ESC ]` that came in earlier chunks. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  /** `sequenceBytesMax`: default 8192, room for the 4096 bytes of a program status. */
  constructor({ sequenceBytesMax = 8192 }: { readonly sequenceBytesMax?: number } = {}) {
    this.#sequenceBytesMax = sequenceBytesMax;
  }

  /** `offset` is that of the first byte of `chunk`. */
  feed(chunk: Uint8Array, offset: number): OscSequence[] {
    const found: OscSequence[] = [];
    let index = 0;
    /** Where the part of a string in this chunk begins. */
    let from = 0;
    while (index < chunk.length) {
      if (this.#state === "ground") {
        index = chunk.indexOf(escape, index);
        if (index === -1) break;
        this.#begin(offset + index);
        index += 1;
        continue;
      }
      const byte = chunk[index] ?? 0;
      switch (this.#state) {
        case "escape":
          if (byte === escape) this.#begin(offset + index);
          else this.#state = byte === bracket ? "string" : "ground";
          from = index + 1;
          break;
        case "string":
          if (byte === bell) this.#close(chunk.subarray(from, index), offset + index + 1, found);
          else if (byte === escape) {
            this.#hold(chunk.subarray(from, index));
            this.#state = "string-escape";
          } else if (byte === cancel || byte === substitute) this.#state = "ground";
          break;
        case "string-escape":
          if (byte === backslash) this.#close(chunk.subarray(0, 0), offset + index + 1, found);
          else {
            // The string was cut; this ESC begins what comes now.
            this.#begin(offset + index - 1);
            continue;
          }
      }
      index += 1;
    }
    if (this.#state === "string") this.#hold(chunk.subarray(from));
    return found;
  }

  /** Bytes are missing here: nothing that was begun is continued. */
  gap(): void {
    this.#state = "ground";
  }

  /** What is needed to go on: given to a new reader. */
  save(): OscReaderState {
    return {
      state: this.#state,
      start: this.#start,
      held: [...joined(this.#held, this.#heldTotal)],
      bytes: this.#heldBytes,
    };
  }

  restore({ state, start, held, bytes }: OscReaderState): void {
    this.#state = state;
    this.#start = start;
    this.#held = held.length === 0 ? [] : [Uint8Array.from(held)];
    this.#heldBytes = bytes;
  }

  get #heldTotal(): number {
    return this.#held.reduce((sum, part) => sum + part.length, 0);
  }

  #begin(offset: number): void {
    this.#state = "escape";
    this.#start = offset;
    this.#held = [];
    this.#heldBytes = 0;
  }

  #hold(part: Uint8Array): void {
    this.#heldBytes += part.length;
    if (this.#heldBytes <= this.#sequenceBytesMax) this.#held.push(Uint8Array.from(part));
    else this.#held = [];
  }

  #close(last: Uint8Array, end: number, found: OscSequence[]): void {
    this.#state = "ground";
    let body = last;
    if (this.#heldBytes > 0 || last.length > this.#sequenceBytesMax) {
      this.#hold(last);
      if (this.#heldBytes > this.#sequenceBytesMax) return;
      body = joined(this.#held, this.#heldBytes);
      this.#held = [];
    }
    const digits = digitsAtStart(body);
    if (digits === 0 || digits > COMMAND_DIGITS_MAX) return;
    const isBare = digits === body.length;
    if (!isBare && body[digits] !== semicolon) return;
    const data = isBare ? "" : decoder.decode(body.subarray(digits + 1));
    found.push({ offset: this.#start, end, command: numberOf(body, digits), data });
  }
}

function digitsAtStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < bytes.length && isDigit(bytes[count] ?? 0)) count++;
  return count;
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

function numberOf(bytes: Uint8Array, digits: number): number {
  let value = 0;
  for (let index = 0; index < digits; index++) value = value * 10 + (bytes[index] ?? 0) - 0x30;
  return value;
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
