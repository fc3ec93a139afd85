/** Ends a wait when a stream has fallen silent: the clock and the timer of an `IdleWatch`. */
import { IdleWatch, type IdleOptions } from "../../core/gate/idle.ts";

export class IdleTimer implements Disposable {
  readonly #watch: IdleWatch;
  readonly #onIdle: (silentMs: number) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `onIdle` is called at most once. */
  constructor(options: IdleOptions, onIdle: (silentMs: number) => void) {
    this.#watch = new IdleWatch(performance.now(), options);
    this.#onIdle = onIdle;
    this.#check();
  }

  event(): void {
    this.#watch.event("event", performance.now());
  }

  /** Our own reader does not read: the silence is not the stream's. */
  async during(wait: Promise<void>): Promise<void> {
    this.#watch.pause(performance.now());
    await wait;
    this.#watch.resume(performance.now());
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  /** Sleeps until it may be so, not with every event. */
  #check(): void {
    const answer = this.#watch.check(performance.now());
    if (answer.idle) this.#onIdle(answer.silentMs);
    else this.#timer = setTimeout(() => this.#check(), Math.max(1, answer.dueInMs));
  }
}
