/**
 * Reusable memory for the frames of a flood. Without it each frame is new memory outside of the JavaScript heap, and at 50 MB/s the
 * garbage collector takes half of the daemon's time.
 *
 * Law: a frame has an owner (the window of a feed) and any number of leases. It is reused after the owner has released it and the last
 * lease has ended, so bytes that are still on their way to a slow socket never change.
 */

/** Frames kept for reuse; more are left to the garbage collector. */
const KEPT_MAX = 64;

export class FramePool {
  readonly #frameBytes: number;
  readonly #kept: Uint8Array[] = [];

  /** All frames of a pool have room for `frameBytes`. */
  constructor(frameBytes: number) {
    this.#frameBytes = frameBytes;
  }

  /** A frame of `length` bytes, owned by the caller; undefined if it does not fit. It is not cleared. */
  take(length: number): LeasedFrame | undefined {
    if (length > this.#frameBytes) return undefined;
    // Not a `Buffer`: its `slice` would not copy, for those who keep bytes longer.
    const memory = this.#kept.pop() ?? new Uint8Array(this.#frameBytes);
    return new LeasedFrame(memory, length, () => {
      if (this.#kept.length < KEPT_MAX) this.#kept.push(memory);
    });
  }
}

export class LeasedFrame {
  readonly bytes: Uint8Array;
  readonly #onFree: () => void;
  #users = 1;

  constructor(memory: Uint8Array, length: number, onFree: () => void) {
    this.bytes = memory.subarray(0, length);
    this.#onFree = onFree;
  }

  /** Keeps the bytes unchanged until `release`. Only while another holder has them. */
  retain(): void {
    if (this.#users === 0) throw new TypeError("A frame that is free cannot be retained");
    this.#users++;
  }

  release(): void {
    if (this.#users === 0) throw new TypeError("A frame cannot be released twice");
    this.#users--;
    if (this.#users === 0) this.#onFree();
  }
}
