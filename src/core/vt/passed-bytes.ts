/** Collects what passes of chunk after chunk: nothing is copied while nothing is changed. */
import { GrowingBytes } from "../bytes/joining.ts";
import type { Tokenizer } from "./tokenizer.ts";

const EMPTY = new Uint8Array(0);

/**
 * @example
 * ```ts
 * const passed = new PassedBytes();
 * passed.begin(chunk);
 * passed.pass(tokens); // for each token that passes
 * passed.take(); // `chunk` itself where all of it passed
 * ```
 */
export class PassedBytes {
  #chunk: Uint8Array = EMPTY;
  /** What stands in front of the run. */
  readonly #before = new GrowingBytes();
  /** A run of the chunk that passes as it is. */
  #runStart = 0;
  #runEnd = 0;

  begin(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#runStart = 0;
    this.#runEnd = 0;
  }

  /** Passes the current token as it is. */
  pass(tokens: Tokenizer): void {
    if (!tokens.isInChunk) return this.put(tokens.bytes);
    const start = tokens.startIndex;
    if (start !== this.#runEnd) {
      this.#endRun();
      this.#runStart = start;
    }
    this.#runEnd = tokens.endIndex;
  }

  put(bytes: Uint8Array): void {
    this.#endRun();
    this.#append(bytes, 0, bytes.length);
  }

  /** All that passed of the chunk; may share its memory. */
  take(): Uint8Array {
    if (this.#before.length === 0) return partOf(this.#chunk, this.#runStart, this.#runEnd);
    this.#endRun();
    return this.#before.take();
  }

  #endRun(): void {
    if (this.#runEnd > this.#runStart) this.#append(this.#chunk, this.#runStart, this.#runEnd);
    this.#runStart = this.#runEnd;
  }

  #append(bytes: Uint8Array, from: number, to: number): void {
    // Most often as much passes as came.
    if (this.#before.length === 0) this.#before.reserve(this.#chunk.length + to - from);
    this.#before.append(bytes, from, to);
  }
}

const partOf = (chunk: Uint8Array, from: number, to: number): Uint8Array =>
  from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to);
