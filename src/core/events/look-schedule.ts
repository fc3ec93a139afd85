import { type ForegroundVerdict, awaitsInput } from "../records.ts";

/** Wait before each look after something moved, in milliseconds: doubled from look to look. */
const FIRST_MS = 1;
const LOOK_MS_MAX = 250;
/** Nothing moved for this long: the program computes or sleeps, and may still begin to wait without a word. */
const SLOW_AFTER_MS = 500;
const SLOW_MS = 1000;
const REST_AFTER_MS = 60_000;
const REST_MS = 10_000;
/** While bytes keep coming a look is no answer: looks are spread until they come this far apart. */
const FLOOD_MS_MAX = 16;
/** A program that waits for a person is looked at until this long after the last movement, and then not before it moves again. */
const SETTLED_MS = 250;

/**
 * When to look at a foreground, as a pure state machine: time in milliseconds is an argument.
 *
 * After a movement (input or output) looks come after 1, 2, 4, ... up to 250 ms, then each second, after a minute every ten. A program that waits for a person is left
 * alone after 250 ms, so that an idle session costs nothing. A flood is looked at 62 times a second.
 */
export class LookSchedule {
  #movedAtMs = Number.NEGATIVE_INFINITY;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Between two looks while something moves: 1, doubled with each look that saw a movement. */
  #spreadMs = FIRST_MS;
  #waitMs = FIRST_MS;
  #dueMs: number | undefined;

  /** When the next look is due; undefined while there is nothing to look for. */
  get dueMs(): number | undefined {
    return this.#dueMs;
  }

  /** Something was written or read. Cheap: called for each chunk. Returns when the next look is due. */
  moved(nowMs: number): number {
    this.#movedAtMs = nowMs;
    this.#waitMs = FIRST_MS;
    const due = Math.max(nowMs + FIRST_MS, this.#lookedAtMs + this.#spreadMs);
    if (this.#dueMs === undefined || due < this.#dueMs) this.#dueMs = due;
    return this.#dueMs;
  }

  /** A look was taken. Returns when the next one is due, undefined where none is. */
  looked(nowMs: number, verdict: ForegroundVerdict): number | undefined {
    const moved = this.#movedAtMs > this.#lookedAtMs;
    this.#spreadMs = moved ? Math.min(this.#spreadMs * 2, FLOOD_MS_MAX) : FIRST_MS;
    this.#lookedAtMs = nowMs;
    const quietMs = nowMs - this.#movedAtMs;
    const waitMs = Math.max(this.#nextWait(quietMs), this.#spreadMs);
    this.#dueMs = this.#hasSettled(verdict, quietMs) ? undefined : nowMs + waitMs;
    return this.#dueMs;
  }

  #hasSettled(verdict: ForegroundVerdict, quietMs: number): boolean {
    return verdict === "not-available" || (awaitsInput(verdict) && quietMs >= SETTLED_MS);
  }

  #nextWait(quietMs: number): number {
    if (quietMs >= REST_AFTER_MS) return REST_MS;
    if (quietMs >= SLOW_AFTER_MS) return SLOW_MS;
    this.#waitMs = Math.min(this.#waitMs * 2, LOOK_MS_MAX);
    return this.#waitMs;
  }
}
