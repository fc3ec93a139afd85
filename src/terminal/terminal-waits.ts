/** The one wait of a terminal: brings events and the clock to the state machine of readiness, and does what it asks for. */
import { LecternError } from "../core/errors.ts";
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { ShellStep } from "../core/readiness/command-tracker.ts";
import {
  beginWait,
  stepWait,
  wantsText,
  type ReadyWaitOptions,
  type WaitEvent,
  type WaitState,
} from "../core/readiness/ready-wait.ts";
import type { Readiness } from "../core/readiness/readiness.ts";
import { lateTimer } from "../timers/late-timer.ts";
import type { TerminalSource } from "./terminal-source.ts";

export interface Outcome extends Readiness {
  /** The last probe result; null if none was taken, or if the shell itself has reported the end. */
  readonly foreground: ForegroundLook | null;
}

/** The parts of a `TerminalSource` that probe. */
type ProbedSource = Pick<TerminalSource, "probe" | "ask">;

interface Active {
  state: WaitState;
  readonly settle: (outcome: Outcome) => void;
}

export class TerminalWaits {
  readonly #source: ProbedSource;
  #active: Active | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  /** They are called while a wait asks for it. */
  constructor(source: ProbedSource) {
    this.#source = source;
  }

  /**
   * Settles when the program is ready. `end`: the program has ended, or more has come than is wanted. Throws the reason of the signal,
   * `CANCELLED` for one that is not a `LecternError`. One wait at a time.
   */
  async until(
    options: ReadyWaitOptions,
    { signal, end }: { readonly signal?: AbortSignal | undefined; readonly end?: "exit" | "limit" | undefined } = {},
  ): Promise<Outcome> {
    if (signal?.aborted === true) throw cancelled(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const abort = (): void => {
      this.#active = undefined;
      reject(cancelled(signal?.reason));
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.#active = { state: beginWait(options, performance.now()), settle: resolve };
    this.#step(end === undefined ? { type: "tick" } : { type: "end", reason: end });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** The open line costs something: it is only read if the wait needs it. */
  output(state: { readonly openLine: string; readonly awaitsReply: boolean }, steps: readonly ShellStep[]): void {
    if (this.#active === undefined) return;
    const lastLine = wantsText(this.#active.state) ? state.openLine : "";
    this.#step({ type: "output", lastLine, awaitsReply: state.awaitsReply, steps });
  }

  /** The terminal has answered the program. */
  replied(): void {
    this.#step({ type: "replied" });
  }

  reported(probe: ForegroundLook, isStanding: boolean): void {
    this.#step({ type: isStanding ? "standing" : "probed", probe });
  }

  end(reason: "exit" | "limit"): void {
    this.#step({ type: "end", reason });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.end("exit");
  }

  #step(event: WaitEvent): void {
    const active = this.#active;
    if (active === undefined) return;
    const nowMs = performance.now();
    let { state, effect } = stepWait(active.state, event, nowMs);
    if (effect.type === "probe") {
      const probe = this.#source.probe?.();
      const result =
        probe === undefined
          ? ({ type: "asked", isComing: this.#source.ask?.() === true } as const)
          : ({ type: "probed", probe } as const);
      ({ state, effect } = stepWait(state, result, performance.now()));
    }
    active.state = state;
    if (effect.type === "wake") this.#plan(effect.atMs, nowMs);
    if (effect.type !== "settle") return;
    this.#active = undefined;
    const { readiness, probe } = effect;
    active.settle({ ...readiness, foreground: readiness.reason === "mark" ? null : probe });
  }

  /** A timer that fires too early only plans again: making one for each chunk would cost more than the chunk. */
  #plan(dueMs: number, nowMs: number): void {
    if (this.#timer !== undefined && this.#timerMs <= dueMs) return;
    clearTimeout(this.#timer);
    this.#timerMs = dueMs;
    const tick = (): void => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#step({ type: "tick" });
    };
    const timer = (this.#timer = lateTimer(tick, Math.max(0, dueMs - nowMs)));
  }
}

function cancelled(cause: unknown): LecternError {
  if (cause instanceof LecternError) return cause;
  return new LecternError("CANCELLED", "The wait was cancelled; the program goes on", { cause });
}
