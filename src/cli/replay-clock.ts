/** When to show which part of a recording. The current time is an argument. */

export interface ReplayOptions {
  /** 2 is twice as fast. */
  readonly speed: number;
  /** Longer pauses in the recording are shortened to this. */
  readonly idleMsMax: number;
}

/**
 * @example
 * ```ts
 * const clock = new ReplayClock({ speed: 2, idleMsMax: 1000 });
 * clock.start(0);
 * clock.delayMs(500, 0); // 250: the next output is due in a quarter of a second
 * ```
 */
export class ReplayClock {
  readonly #options: ReplayOptions;
  /** When the last output was due, in real time and in the recording. */
  #dueMs = 0;
  #recordedMs = 0;
  #pausedAt: number | undefined;

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  get paused(): boolean {
    return this.#pausedAt !== undefined;
  }

  start(nowMs: number): void {
    this.#dueMs = nowMs;
  }

  /** Milliseconds to wait before an output at this time of the recording; 0 if it is late. Moves the clock to it. */
  delayMs(recordedMs: number, nowMs: number): number {
    const idle = Math.min(Math.max(0, recordedMs - this.#recordedMs), this.#options.idleMsMax);
    this.#recordedMs = recordedMs;
    this.#dueMs += idle / this.#options.speed;
    return Math.max(0, this.#dueMs - nowMs);
  }

  /** The rest of a wait after a pause. */
  remainingMs(nowMs: number): number {
    return Math.max(0, this.#dueMs - nowMs);
  }

  /** Pauses or resumes. Time does not pass during a pause. */
  toggle(nowMs: number): void {
    if (this.#pausedAt === undefined) {
      this.#pausedAt = nowMs;
      return;
    }
    this.#dueMs += nowMs - this.#pausedAt;
    this.#pausedAt = undefined;
  }
}
