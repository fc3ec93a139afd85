/** The one wait of a terminal: brings items, looks and the clock to a `ReadyWait`, and settles when that has a verdict. */
import { LecternError } from "../core/errors.ts";
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { ShellStep } from "../core/readiness/command-tracker.ts";
import { ReadyWait, type ReadyWaitOptions } from "../core/readiness/ready-wait.ts";
import type { Readiness } from "../core/readiness/readiness.ts";

export interface Outcome extends Readiness {
  /** The last look at the foreground; null where none was taken, or where the shell itself has said it. */
  readonly foreground: ForegroundLook | null;
}

interface Active {
  readonly wait: ReadyWait;
  readonly settle: (readiness: Readiness) => void;
}

export class TerminalWaits {
  readonly #look: (() => ForegroundLook) | undefined;
  #active: Active | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  /** `look` is called while a wait wants it. */
  constructor(look: (() => ForegroundLook) | undefined) {
    this.#look = look;
  }

  /** Settles with the first verdict. Throws the reason where the signal is aborted, `CANCELLED` for one that is no `LecternError`. One at a time. */
  async until(wait: ReadyWait, signal: AbortSignal | undefined): Promise<Outcome> {
    if (signal?.aborted === true) throw cancelled(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Readiness>();
    const abort = (): void => {
      this.#active = undefined;
      reject(cancelled(signal?.reason));
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.#active = { wait, settle: resolve };
    this.check();
    try {
      const readiness = await promise;
      return { ...readiness, foreground: readiness.reason === "mark" ? null : (wait.lastLook ?? null) };
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** The open line costs something: it is asked for where a wait wants it. */
  output(state: { readonly lastLine: string }, steps: readonly ShellStep[]): void {
    if (this.#active === undefined) return;
    const { wait } = this.#active;
    wait.output(wait.wantsText ? state.lastLine : "", steps, performance.now());
    this.check();
  }

  told(look: ForegroundLook, isStanding: boolean): void {
    if (isStanding) this.#active?.wait.standing(look);
    else this.#active?.wait.look(look, performance.now());
    this.check();
  }

  end(reason: "exit" | "limit"): void {
    this.#active?.wait.end(reason);
    this.check();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.end("exit");
  }

  /** Asks for the verdict, and looks where a look is due. */
  check(): void {
    const active = this.#active;
    if (active === undefined) return;
    const now = performance.now();
    let verdict = active.wait.verdict(now);
    // On a machine that stood still more than one thing is due: the kernel is asked before a weaker word counts.
    if (this.#look !== undefined && active.wait.lookDueMs <= now && mayKnowBetter(verdict)) {
      active.wait.look(this.#look(), now);
      verdict = active.wait.verdict(performance.now());
    }
    if (verdict === undefined) return this.#plan(Math.min(active.wait.dueMs, active.wait.lookDueMs), now);
    this.#active = undefined;
    active.settle(verdict);
  }

  /** A timer that fires too early only plans anew: making one for each chunk would cost more than the chunk. */
  #plan(dueMs: number, nowMs: number): void {
    if (this.#timer !== undefined && this.#timerMs <= dueMs) return;
    clearTimeout(this.#timer);
    this.#timerMs = dueMs;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.check();
      },
      Math.max(0, dueMs - nowMs),
    );
  }
}

/** A look at the foreground may say more than this. */
const mayKnowBetter = (verdict: Readiness | undefined): boolean =>
  verdict === undefined || verdict.reason === "marker" || verdict.reason === "quiet" || verdict.reason === "timeout";

export function newWait(options: ReadyWaitOptions, lastLine: string): ReadyWait {
  return new ReadyWait(options, performance.now(), lastLine);
}

function cancelled(cause: unknown): LecternError {
  if (cause instanceof LecternError) return cause;
  return new LecternError("CANCELLED", "The wait was cancelled; the program goes on", { cause });
}
