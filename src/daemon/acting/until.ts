/** Waits on the views of one session, for whoever types a prompt or follows it. */
import { setTimeout as sleep } from "node:timers/promises";
import { waits } from "../../core/waits.ts";
import { lateTimer } from "../../timers/late-timer.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { EntryViews } from "../views/entry-views.ts";

/** Each wait ends with the session, too. */
export class Until {
  readonly #entry: SessionEntry;
  readonly #views: EntryViews;
  readonly #stop: AbortSignal;

  constructor(entry: SessionEntry, views: EntryViews, stop: AbortSignal) {
    this.#entry = entry;
    this.#views = views;
    this.#stop = stop;
  }

  /** Until the status is as wanted, or `ms` are over. */
  async status(isReached: () => boolean, ms = Infinity): Promise<void> {
    const deadline = performance.now() + ms;
    while (!isReached() && this.#entry.live && !this.#stop.aborted && performance.now() < deadline) {
      await this.#news(Math.min(deadline - performance.now(), 1000));
    }
  }

  /** Until the screen is as wanted: true; false if `ms` are over or `lost` is aborted. It is read at each change, every `pollMs`, and at the end of the session. */
  async screen(
    isReached: () => Promise<boolean>,
    given: number | { readonly ms: number; readonly pollMs: number },
    lost?: AbortSignal,
  ): Promise<boolean> {
    const { ms, pollMs } = typeof given === "number" ? { ms: given, pollMs: waits.pollMs } : given;
    for (const deadline = performance.now() + ms; ;) {
      await this.#views.caughtUp();
      if (await isReached()) return true;
      if (!this.#entry.live) return await this.#views.complete().then(isReached);
      if (performance.now() >= deadline || lost?.aborted === true || this.#stop.aborted) return false;
      await this.#news(pollMs);
    }
  }

  /** Until nothing has been drawn for `ms`, or `msMax` are over. */
  async still(ms: number, lost: AbortSignal, msMax = Infinity): Promise<void> {
    const deadline = performance.now() + msMax;
    for (let last = -1; !lost.aborted && !this.#stop.aborted && this.#entry.live && performance.now() < deadline;) {
      await this.#views.caughtUp();
      const { offset } = this.#views.view.status;
      if (offset === last) return;
      last = offset;
      await sleep(ms);
    }
  }

  /** Until a person at a keyboard has stopped typing for a moment. */
  async keyboardRests(): Promise<void> {
    for (let ms = 1; ms > 0 && !this.#stop.aborted;) {
      ms = this.#entry.lease.keyboardMs(Date.now());
      if (ms > 0) await sleep(ms);
    }
  }

  async #news(ms: number): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    using _ = this.#views.subscribe(end);
    const timer = lateTimer(end, ms);
    this.#stop.addEventListener("abort", end, { once: true });
    await this.#entry.untilEnd(over.signal);
    clearTimeout(timer);
    this.#stop.removeEventListener("abort", end);
  }
}
