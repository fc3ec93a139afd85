/** How much is drawn between two frames: as much as this machine, as busy as it is, parses in a part of one. Pure. */

const BYTES_MIN = 8 * 1024;
const BYTES_MAX = 256 * 1024;
const BYTES_FIRST = 64 * 1024;
/** Of the 16 ms of a frame, with what is left for drawing it. */
const TOO_LONG_MS = 10;
const SHORT_MS = 4;

export class Pace {
  #bytes = BYTES_FIRST;

  get bytes(): number {
    return this.#bytes;
  }

  /** The last piece took so long. */
  took(durationMs: number): void {
    if (durationMs > TOO_LONG_MS) this.#bytes = Math.max(BYTES_MIN, this.#bytes >> 1);
    else if (durationMs < SHORT_MS) this.#bytes = Math.min(BYTES_MAX, this.#bytes * 2);
  }
}
