/** Calls back when a stream has stopped: an `IdleWatch` with a clock and a timer. */
import { IdleWatch, type IdleOptions } from "../core/gate/idle.ts";

export class IdleTimer implements Disposable {
  readonly #watch: IdleWatch;
  readonly #onIdle: (silentMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** `onIdle` is called at most once. */
  constructor(options: IdleOptions, onIdle: (silentMs: number) => void) {
    this.#watch = new IdleWatch(performance.now(), options);
    this.#onIdle = onIdle;
    this.#check();
  }

  event(): void {
    this.#watch.event(performance.now());
  }

  /** Does not count the time in which our own reader waits. */
  async during(wait: Promise<void>): Promise<void> {
    this.pause();
    await wait;
    this.resume();
  }

  /** The time from here to `resume` is not counted: nobody reads. */
  pause(): void {
    this.#watch.pause(performance.now());
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#watch.resume(performance.now());
    clearTimeout(this.#timer);
    if (!this.#isOver) this.#check();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Sleeps until the earliest time at which the stream can be idle, instead of restarting a timer with each event. */
  #check(): void {
    const answer = this.#watch.check(performance.now());
    if (answer.idle) {
      this.#isOver = true;
      this.#onIdle(answer.silentMs);
    } else this.#timer = setTimeout(() => this.#check(), Math.max(1, answer.dueInMs));
  }
}
