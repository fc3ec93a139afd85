import { noForeground, sameForeground, type ForegroundLook } from "../core/events/foreground.ts";
import { afterMovement, afterProbe, idleSchedule } from "../core/readiness/probe-schedule.ts";
import { ForegroundProbe, type ProbedPty } from "./foreground-probe.ts";

export interface ForegroundWatchOptions {
  /** Called from the event loop with each reading that differs from the last one (verdict, process or modes); it must not throw. */
  readonly onChange: (look: ForegroundLook) => void;
  /** The pty's own program is the wrapper of a sandbox, which is never what a person waits for. Default false. */
  readonly isWrapped?: boolean;
}

/**
 * Watches what the program in the foreground of a pty waits for, in the host and in any process that holds a `Pty`.
 *
 * Call `moved` after each output and input: it probes soon after, then less and less often, and calls back when the reading changes. A
 * program that waits for a person is not probed again before the next output or input. Its timer does not keep the process alive.
 */
export class ForegroundWatch implements Disposable {
  readonly #probe: ForegroundProbe;
  readonly #onChange: (look: ForegroundLook) => void;
  #schedule = idleSchedule;
  #timer: NodeJS.Timeout | undefined;
  /** When `#timer` fires. */
  #timerMs = Number.POSITIVE_INFINITY;
  #last: ForegroundLook = noForeground("unknown", "not probed yet");
  #closed = false;

  constructor(pty: ProbedPty, options: ForegroundWatchOptions) {
    this.#probe = new ForegroundProbe(pty, options);
    this.#onChange = options.onChange;
  }

  /** Why this pty cannot be probed; undefined if it can. */
  get unavailable(): string | undefined {
    return this.#probe.unavailable;
  }

  /** The last reading; `unknown` before the first one. */
  get last(): ForegroundLook {
    return this.#last;
  }

  /** To be called after output, input and resizes. Costs well below a microsecond while a probe is scheduled. */
  moved(): void {
    if (this.#closed || this.unavailable !== undefined) return;
    this.#schedule = afterMovement(this.#schedule, performance.now());
    this.#plan(this.#schedule.dueMs);
  }

  /** Probes at once; calls `onChange` first if the reading has changed. */
  look(): ForegroundLook {
    const look = this.#probe.look();
    if (this.#closed) return look;
    this.#schedule = afterProbe(this.#schedule, look.verdict, performance.now());
    const changed = !sameForeground(look, this.#last);
    this.#last = look;
    if (changed) this.#onChange(look);
    this.#plan(this.#schedule.dueMs);
    return look;
  }

  /** Neither probes nor calls back after this. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** A timer that fires too early is scheduled again, so that a flood does not create one for each chunk. */
  #plan(dueMs: number | undefined): void {
    if (dueMs === undefined || this.#closed) return;
    if (this.#timer !== undefined && this.#timerMs <= dueMs) return;
    clearTimeout(this.#timer);
    this.#timerMs = dueMs;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, dueMs - performance.now())).unref();
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerMs = Number.POSITIVE_INFINITY;
    const due = this.#schedule.dueMs;
    if (due === undefined) return;
    if (due > performance.now() + 0.5) this.#plan(due);
    else this.look();
  }
}
