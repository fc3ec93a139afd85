/**
 * Detects a stream that has stopped. Events count, not bytes: pings and comments would keep a byte timer alive forever although the
 * model has stopped. The clock is an argument.
 */

export interface IdleOptions {
  /** Until the first event, because models think before they answer. Default 300,000. */
  readonly firstEventMs?: number;
  /** Between two events. Default 60,000. */
  readonly betweenEventsMs?: number;
}

/** Whether a stream has been silent for too long; if not, in how many milliseconds to check again. */
export type IdleAnswer =
  | { readonly idle: false; readonly dueInMs: number }
  | { readonly idle: true; readonly silentMs: number };

/** Watches one stream for silence. */
export class IdleWatch {
  readonly #options: Required<IdleOptions>;
  #lastMs: number;
  #hasEvent = false;
  /** Set while the reader is paused: that silence is not the stream's. */
  #pausedAtMs: number | undefined;

  constructor(nowMs: number, options: IdleOptions = {}) {
    this.#options = { firstEventMs: 300_000, betweenEventsMs: 60_000, ...options };
    this.#lastMs = nowMs;
  }

  /** An event that is not a ping or a comment. */
  event(nowMs: number): void {
    this.#hasEvent = true;
    this.#lastMs = Math.max(this.#lastMs, nowMs);
  }

  pause(nowMs: number): void {
    this.#pausedAtMs ??= nowMs;
  }

  resume(nowMs: number): void {
    if (this.#pausedAtMs === undefined) return;
    this.#lastMs += Math.max(0, nowMs - Math.max(this.#pausedAtMs, this.#lastMs));
    this.#pausedAtMs = undefined;
  }

  check(nowMs: number): IdleAnswer {
    const limitMs = this.#hasEvent ? this.#options.betweenEventsMs : this.#options.firstEventMs;
    const silentMs = Math.max(0, (this.#pausedAtMs ?? nowMs) - this.#lastMs);
    // Silence behind an event that comes now may be over sooner than that before the first.
    if (silentMs < limitMs || this.#pausedAtMs !== undefined)
      return { idle: false, dueInMs: Math.max(0, Math.min(limitMs - silentMs, this.#options.betweenEventsMs)) };
    return { idle: true, silentMs };
  }
}
