/**
 * The last bytes of a stream, addressed by their absolute offset in it.
 *
 * Invariant: the byte at stream offset `o` lies at `o - origin` modulo the capacity, where `origin` is the offset at
 * which the buffer was last (re)allocated. So nothing moves when the ring wraps, and a read is one or two copies.
 */
import { LecternError } from "../errors.ts";

const initialBytes = 4096;

export interface ByteRingOptions {
  /** Bytes that are kept; older ones are dropped and counted by `start`. Default 1 MiB. */
  readonly bytesMax?: number;
  /** Stream offset of the first byte that will be appended. Default 0. */
  readonly start?: number;
}

/** `offset` is greater than requested if older bytes were dropped. */
export interface RingRead {
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * A ring buffer that starts small and doubles up to `bytesMax`, so that an idle session costs 4 KiB.
 * Appending is O(1) per byte amortised. All results are copies.
 */
export class ByteRing {
  readonly #bytesMax: number;
  #buffer: Uint8Array<ArrayBuffer>;
  #origin: number;
  #start: number;
  #end: number;

  constructor(options: ByteRingOptions = {}) {
    const { bytesMax = 1024 * 1024, start = 0 } = options;
    if (!Number.isSafeInteger(bytesMax) || bytesMax < 1)
      throw new LecternError("INVALID_INPUT", `Cannot make a ring of ${bytesMax} bytes: give a whole number above 0`);
    this.#bytesMax = bytesMax;
    this.#buffer = new Uint8Array(Math.min(initialBytes, bytesMax));
    this.#origin = start;
    this.#start = start;
    this.#end = start;
  }

  /** Offset of the oldest byte that is still here. */
  get start(): number {
    return this.#start;
  }

  /** Offset of the next byte. */
  get end(): number {
    return this.#end;
  }

  /** Adds bytes at the end and returns the new end. `chunk` is copied. */
  append(chunk: Uint8Array): number {
    const kept = chunk.length > this.#bytesMax ? chunk.subarray(chunk.length - this.#bytesMax) : chunk;
    this.#grow(this.#end - this.#start + kept.length);
    this.#end += chunk.length;
    const at = this.#index(this.#end - kept.length);
    const room = this.#buffer.length - at;
    if (kept.length <= room) {
      this.#buffer.set(kept, at);
    } else {
      this.#buffer.set(kept.subarray(0, room), at);
      this.#buffer.set(kept.subarray(room), 0);
    }
    this.#start = Math.max(this.#start, this.#end - this.#buffer.length);
    return this.#end;
  }

  /**
   * At most `max` bytes from `from` on. If `from` was dropped, the result starts at `start`, and its `offset` shows that.
   *
   * @throws LecternError `OFFSET_BEYOND_END`
   */
  read(from: number, max: number): RingRead {
    if (from > this.#end)
      throw new LecternError("OFFSET_BEYOND_END", `Cannot read from offset "${from}": the end is at "${this.#end}"`);
    const offset = Math.max(from, this.#start);
    return { offset, bytes: this.#copy(offset, Math.min(Math.max(0, max), this.#end - offset)) };
  }

  /** The last bytes, at most as many as are here. */
  tail(bytes: number): Uint8Array<ArrayBuffer> {
    const length = Math.min(Math.max(0, bytes), this.#end - this.#start);
    return this.#copy(this.#end - length, length);
  }

  #index(offset: number): number {
    return (offset - this.#origin) % this.#buffer.length;
  }

  #copy(offset: number, length: number): Uint8Array<ArrayBuffer> {
    const at = this.#index(offset);
    const room = this.#buffer.length - at;
    if (length <= room) return this.#buffer.slice(at, at + length);
    const result = new Uint8Array(length);
    result.set(this.#buffer.subarray(at), 0);
    result.set(this.#buffer.subarray(0, length - room), room);
    return result;
  }

  #grow(needed: number): void {
    const capacity = this.#buffer.length;
    if (needed <= capacity || capacity === this.#bytesMax) return;
    let wanted = capacity;
    while (wanted < needed && wanted < this.#bytesMax) wanted = Math.min(wanted * 2, this.#bytesMax);
    const larger = new Uint8Array(wanted);
    larger.set(this.#copy(this.#start, this.#end - this.#start));
    this.#buffer = larger;
    this.#origin = this.#start;
  }
}
