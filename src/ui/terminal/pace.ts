/** How many bytes to draw between two frames, adapted to the current speed of the machine. Pure. */

const BYTES_MIN = 8 * 1024;
const BYTES_MAX = 256 * 1024;
const BYTES_FIRST = 64 * 1024;
/** Part of the 16 ms of a frame; the rest is for rendering. */
const TOO_LONG_MS = 10;
const SHORT_MS = 4;

export class Pace {
  #bytes = BYTES_FIRST;

  get bytes(): number {
    return this.#bytes;
  }

  /** Reports the duration of the last piece. */
  took(durationMs: number): void {
    if (durationMs > TOO_LONG_MS) this.#bytes = Math.max(BYTES_MIN, this.#bytes >> 1);
    else if (durationMs < SHORT_MS) this.#bytes = Math.min(BYTES_MAX, this.#bytes * 2);
  }
}
