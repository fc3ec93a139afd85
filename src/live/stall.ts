/** By the clock alone, a thread that gets no processor time looks like one that hangs. */
const CLOCK_FACTOR = 10;
/** Looks that come later than so many intervals: this process had no processor itself, or was stopped. */
const INTERVALS_MAX = 2;

/** What is seen of a thread that is in the middle of one piece of work. */
export interface ThreadLook {
  readonly nowMs: number;
  /** Its processor time; null where that is unknown. */
  readonly ranMs: number | null;
  /** It runs, or waits for a processor; null where that is unknown. */
  readonly isRunnable: boolean | null;
}

/**
 * How long a thread has been without progress. Its processor time counts in full. Time in which it slept counts at a tenth, and time in
 * which it waited for a processor, or its whole process stood still, not at all. Where all that is unknown the clock counts in full.
 */
export class Stall {
  readonly #intervalMs: number;
  readonly #ranMsBefore: number;
  #sleptMs = 0;
  #lookedAtMs: number;

  /** `nowMs` and `ranMs` are those of the last progress; looks come about each `intervalMs`. */
  constructor({ intervalMs, nowMs, ranMs }: { intervalMs: number; nowMs: number; ranMs: number | null }) {
    this.#intervalMs = intervalMs;
    this.#lookedAtMs = nowMs;
    this.#ranMsBefore = ranMs ?? 0;
  }

  /** Milliseconds, as of this look. */
  silenceMs({ isRunnable, nowMs, ranMs }: ThreadLook): number {
    const passedMs = Math.min(nowMs - this.#lookedAtMs, INTERVALS_MAX * this.#intervalMs);
    this.#lookedAtMs = nowMs;
    if (isRunnable !== true || ranMs === null) this.#sleptMs += passedMs;
    if (isRunnable === null) return this.#sleptMs;
    return Math.max((ranMs ?? 0) - this.#ranMsBefore, this.#sleptMs / CLOCK_FACTOR);
  }
}
