/** Something that may come of a key: waits for it, with one timer for several waits, because an answer comes in several pieces. */
import { lateTimer } from "../timers/late-timer.ts";

/** A timer is this exact. */
const TIMER_MS = 1;

export class Movement {
  #wake = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;

  /** It has come. */
  readonly come = (): void => this.#wake.resolve();

  /** Resolves when something comes, and at the latest after `ms`; it may be sooner. */
  async next(ms: number): Promise<void> {
    const { promise } = (this.#wake = Promise.withResolvers<void>());
    const dueMs = performance.now() + ms;
    if (this.#timer === undefined || dueMs < this.#dueMs - TIMER_MS) {
      this.stop();
      this.#dueMs = dueMs;
      this.#timer = lateTimer(() => {
        this.#timer = undefined;
        this.come();
      }, ms);
    }
    await promise;
  }

  /** The next wait has a timer of its own. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
