/** Decodes the bytes of an event stream, and keeps those that cannot be decoded yet. */
import { incompleteTailLength } from "../bytes/utf8.ts";

const carriageReturn = 13;
const capacityMin = 64;
/** Tails and chunks of together this size are joined in the shared scratch. */
const scratchBytes = 8192;

/** Shared by all tails: filled and decoded within one call, it holds nothing between calls. */
const scratch = new Uint8Array(scratchBytes);
const empty = new Uint8Array(0);
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes UTF-8 chunk by chunk. A character cut by the end of a chunk waits here for its other bytes, and small chunks
 * may be put here to be decoded later by one call. Malformed bytes become U+FFFD as the Encoding Standard says.
 */
export class Utf8Tail {
  #bytes = empty;
  #length = 0;

  /** Bytes that wait. */
  get length(): number {
    return this.#length;
  }

  /** Copies a chunk of some bytes, to be decoded with what comes. True where a line may end in it. */
  appendSmall(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) this.#grow(length);
    const bytes = this.#bytes;
    const at = this.#length;
    // Negative once a byte was CR or less: without a branch, this loop is twice as fast.
    let lowest = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      bytes[at + index] = byte;
      lowest |= byte - (carriageReturn + 1);
    }
    this.#length = length;
    return lowest < 0;
  }

  /** All waiting bytes as text, except for a character whose end is missing: that one waits on. */
  decodeAll(): string {
    const length = this.#length;
    this.#length = 0;
    return this.#decodeWhole(this.#bytes.subarray(0, length));
  }

  /** All waiting bytes and `chunk` as text, except for a character whose end is missing: that one waits. */
  decode(chunk: Uint8Array): string {
    return this.#decodeWhole(this.#length === 0 ? chunk : this.#joinedWith(chunk));
  }

  #decodeWhole(bytes: Uint8Array): string {
    const missing = incompleteTailLength(bytes);
    if (missing === 0) return decoder.decode(bytes);
    const text = decoder.decode(bytes.subarray(0, bytes.length - missing));
    this.appendSmall(bytes.subarray(bytes.length - missing));
    return text;
  }

  clear(): void {
    this.#length = 0;
  }

  #joinedWith(chunk: Uint8Array): Uint8Array {
    const kept = this.#length;
    const length = kept + chunk.length;
    const target = length <= scratchBytes ? scratch : new Uint8Array(length);
    target.set(this.#bytes.subarray(0, kept));
    target.set(chunk, kept);
    this.#length = 0;
    return target.subarray(0, length);
  }

  #grow(length: number): void {
    let capacity = Math.max(capacityMin, this.#bytes.length);
    while (capacity < length) capacity *= 2;
    const larger = new Uint8Array(capacity);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** UTF-8 bytes of `text[start, end)`, which comes from a decoder and so has no lone surrogates. */
export function utf8Length(text: string, start: number, end: number): number {
  let bytes = end - start;
  // Without branches, because a processor cannot predict them in text of mixed scripts.
  for (let index = start; index < end; index += 1) {
    const unit = text.charCodeAt(index);
    const isHalfOfPair = (((unit & 0xf800) ^ 0xd800) - 1) >>> 31;
    bytes += ((0x7f - unit) >>> 31) + ((0x7ff - unit) >>> 31) - isHalfOfPair;
  }
  return bytes;
}

const encoder = new TextEncoder();

/** A copy that does not keep the chunk in memory that a slice refers to. */
export const detached = (slice: string): string => decoder.decode(encoder.encode(slice));
