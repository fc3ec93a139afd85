/** A token bucket: `atOnceMax` in a burst, `perSecondMax` on average. Time is an argument. */
export class RateBudget {
  readonly #atOnceMax: number;
  readonly #perMs: number;
  #left: number;
  #atMs = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly atOnceMax: number; readonly perSecondMax: number }) {
    this.#atOnceMax = options.atOnceMax;
    this.#perMs = options.perSecondMax / 1000;
    this.#left = options.atOnceMax;
  }

  /** Takes a token and returns 0, or returns the milliseconds until the next token. */
  take(nowMs: number): number {
    this.#left = Math.min(this.#atOnceMax, this.#left + Math.max(0, nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
    if (this.#left < 1) return Math.ceil((1 - this.#left) / this.#perMs);
    this.#left -= 1;
    return 0;
  }
}
