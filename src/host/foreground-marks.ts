/** Writes a `foreground` mark into the journal for each change of what the program waits for. */
import { sameForeground, type ForegroundLook } from "../core/events/foreground.ts";
import { awaitsInput, type SessionEvent } from "../core/records.ts";
import { ForegroundWatch } from "../pty/foreground-watch.ts";
import type { Pty } from "../pty/pty.ts";
import { RateBudget } from "./rate-budget.ts";

/** A shell changes its foreground with each short command: a few changes are written without delay. */
const MARKS_AT_ONCE_MAX = 10;
const MARKS_PER_SECOND_MAX = 50;

interface ForegroundMarksOptions {
  /** The pty's own program is the wrapper of a sandbox. */
  readonly isWrapped: boolean;
  /** Returns false if it cannot write at the moment; the owner then calls `retry` when it can. */
  readonly write: (event: SessionEvent) => boolean;
}

export class ForegroundMarks {
  readonly #watch: ForegroundWatch;
  readonly #write: (event: SessionEvent) => boolean;
  readonly #budget = new RateBudget({ atOnceMax: MARKS_AT_ONCE_MAX, perSecondMax: MARKS_PER_SECOND_MAX });
  /** The last reading in the journal. */
  #written: ForegroundLook | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(pty: Pty, { isWrapped, write }: ForegroundMarksOptions) {
    this.#write = write;
    this.#watch = new ForegroundWatch(pty, { onChange: (look) => this.#changed(look), isWrapped });
    this.#watch.moved();
  }

  moved(): void {
    this.#watch.moved();
  }

  /** After a change that could not be written, with a new reading: the last one may be older than output and input in the journal. */
  retry(): void {
    this.#changed(this.#watch.look());
  }

  /** Takes a reading at once, so that the journal has the current one; false if the last one in it is older. */
  probe(): boolean {
    const look = this.#watch.look();
    if (this.#isNew(look) && this.#write(eventOf(look))) this.#written = look;
    return this.#written === undefined || sameForeground(look, this.#written);
  }

  /** Whether this process waits for what is typed, as of the last reading. */
  isReadBy(pid: number): boolean {
    const { pid: reader, verdict } = this.#watch.last;
    return reader === pid && awaitsInput(verdict);
  }

  /** Whether nobody waits for what is typed, by a reading of now. */
  isBusy(): boolean {
    return ["busy", "stopped"].includes(this.#watch.look().verdict);
  }

  close(): void {
    this.#watch.close();
    clearTimeout(this.#timer);
  }

  /** Readings that come faster than they are written are left out. */
  #changed(look: ForegroundLook): void {
    if (!this.#isNew(look)) return;
    const waitMs = this.#budget.take(performance.now());
    if (waitMs > 0) this.#timer ??= setTimeout(() => this.#retryLater(), waitMs).unref();
    else if (this.#write(eventOf(look))) this.#written = look;
  }

  /** Without a foreground job the program is about to end, so nothing is written. */
  #isNew(look: ForegroundLook): boolean {
    return look.pid !== null && (this.#written === undefined || !sameForeground(look, this.#written));
  }

  #retryLater(): void {
    this.#timer = undefined;
    this.retry();
  }
}

const eventOf = ({ group: _group, reasons: _reasons, ...look }: ForegroundLook): SessionEvent => ({
  type: "foreground",
  ...look,
});
