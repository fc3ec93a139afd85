import { ByteRing } from "./byte-ring.ts";

export interface HeadTailOptions {
  /** Bytes kept from the start. Default 64 KiB. */
  readonly headBytesMax?: number;
  /** Bytes kept from the end; one byte at least. Default 64 KiB. */
  readonly tailBytesMax?: number;
}

/** A long output: `head`, then `omittedBytes` that were dropped, then `tail`. */
export interface HeadTailResult {
  readonly head: Uint8Array;
  readonly omittedBytes: number;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
}

/**
 * Keeps the first and the last bytes of a stream and counts those in between. Head and tail never overlap: a stream that fits into both
 * is complete.
 */
export class HeadTail {
  readonly #headBytesMax: number;
  /** A ring without a bound below `headBytesMax`: it grows as it fills and never drops. */
  readonly #head: ByteRing;
  readonly #tail: ByteRing;

  constructor(options: HeadTailOptions = {}) {
    const { headBytesMax = 64 * 1024, tailBytesMax = 64 * 1024 } = options;
    this.#headBytesMax = headBytesMax;
    this.#head = new ByteRing({ bytesMax: Math.max(1, headBytesMax) });
    this.#tail = new ByteRing({ bytesMax: tailBytesMax });
  }

  feed(chunk: Uint8Array): void {
    const room = this.#headBytesMax - this.#head.end;
    if (room > 0) this.#head.append(chunk.subarray(0, room));
    if (chunk.length > room) this.#tail.append(chunk.subarray(Math.max(0, room)));
  }

  /** The result so far; feeding may go on. */
  end(): HeadTailResult {
    return {
      head: this.#head.tail(this.#head.end),
      omittedBytes: this.#tail.start,
      tail: this.#tail.tail(this.#tail.end),
      totalBytes: this.#head.end + this.#tail.end,
    };
  }
}
