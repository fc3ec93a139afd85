import type { ForegroundLook } from "../events/foreground.ts";
import { awaitsInput } from "../records.ts";
import { LookSchedule } from "../events/look-schedule.ts";
import type { Asks, Readiness } from "./readiness.ts";

export interface ForegroundStrategyOptions {
  /**
   * - `asked`: whoever drives this takes a look whenever `lookDueMs` says so, and gives it to `look`
   * - `told`: looks come by themselves, and only when something has changed
   */
  readonly source: "asked" | "told";
  /** Nothing may have come for this long before a program that also hears timers or the network counts as ready. */
  readonly listeningQuietMs: number;
  /** No look before this long after the beginning: where something faster is expected to answer. Default 0. */
  readonly firstLookMs?: number;
  /** Something was typed and nothing has come since, no echo either: until something does, it may be on its way. Default false. */
  readonly isUnanswered?: boolean;
  /** Something was typed at the prompt of a shell that says what it does: until it says something, it may not have begun with that. Default false. */
  readonly owesMark?: boolean;
}

/**
 * Where changes are told, whoever tells them looks 1, 2, 4, ... ms after each movement: where nothing was told for this long, nothing has changed.
 */
const STANDING_MS = 100;
/** A program that has not begun with what was typed may not have been given a processor for longer than that. */
const UNSTARTED_MS = 2000;
/**
 * What was typed is handed on by a worker of the kernel. Until that has been given a processor, the program stands in its read as before, and its
 * input queue is empty: on Linux 6.18, with 16 processes for 2 processors, once for more than 60 ms.
 */
const ON_ITS_WAY_MS = 250;
/** A look says no more of the time before it: on a machine that stood still nothing happened, and nothing was quiet. */
const LOOK_VOUCHES_MS = 128;
/** A job that stops is replaced by its shell within some milliseconds. */
const STOPPED_MS = 100;

const NEVER = Number.POSITIVE_INFINITY;

/** Waits until the kernel says that the program waits. Time in milliseconds is an argument. */
export class ForegroundStrategy {
  readonly #options: ForegroundStrategyOptions;
  readonly #schedule = new LookSchedule();
  readonly #firstLookAtMs: number;
  /** How long nothing must have moved before a look from before the last movement decides, and before one from after it does. */
  #standingMs: number;
  #freshMs: number;
  #movedAtMs: number;
  #look: ForegroundLook | undefined;
  #lookAtMs = Number.NEGATIVE_INFINITY;
  /** For how long looks have seen that it only listens, since something moved. */
  #listenedMs = 0;

  constructor(options: ForegroundStrategyOptions, nowMs: number) {
    this.#options = options;
    this.#firstLookAtMs = nowMs + (options.firstLookMs ?? 0);
    const { isUnanswered = false, owesMark = false } = options;
    this.#standingMs = isUnanswered || owesMark ? UNSTARTED_MS : STANDING_MS;
    this.#freshMs = owesMark ? UNSTARTED_MS : isUnanswered ? ON_ITS_WAY_MS : 0;
    this.#movedAtMs = nowMs;
    this.#schedule.moved(nowMs);
  }

  /** When a look is wanted; never where looks are told. */
  get lookDueMs(): number {
    if (this.#options.source === "told") return NEVER;
    const restMs = this.#options.listeningQuietMs - this.#listenedMs;
    const quietDueMs = this.#look?.verdict === "listening" ? this.#lookAtMs + restMs : NEVER;
    return Math.max(this.#firstLookAtMs, Math.min(this.#schedule.dueMs ?? NEVER, quietDueMs));
  }

  /** The last look of this wait. */
  get lastLook(): ForegroundLook | undefined {
    return this.#look;
  }

  /** The program computes or sleeps: no text of its own makes it ready. */
  get isBusy(): boolean {
    return this.#look?.verdict === "busy";
  }

  /** Output came. */
  moved(nowMs: number): void {
    if (this.#options.owesMark !== true) {
      this.#standingMs = STANDING_MS;
      this.#freshMs = 0;
    }
    this.#movedAtMs = nowMs;
    this.#listenedMs = 0;
    this.#schedule.moved(nowMs);
  }

  look(look: ForegroundLook, nowMs: number): void {
    this.#schedule.looked(nowMs, look.verdict);
    const sinceMs = nowMs - Math.max(this.#movedAtMs, this.#lookAtMs);
    this.#listenedMs = look.verdict === "listening" ? this.#listenedMs + Math.min(sinceMs, LOOK_VOUCHES_MS) : 0;
    this.#look = look;
    this.#lookAtMs = nowMs;
  }

  /** A look from before this wait that nothing has contradicted yet. */
  standing(look: ForegroundLook): void {
    this.#look = look;
    this.#lookAtMs = Number.NEGATIVE_INFINITY;
  }

  /** The shell has said something. */
  answered(): void {
    this.#freshMs = 0;
  }

  /** Something has begun to run: what was told before does not stand any more, if the shell itself says so. */
  started({ isTrusted }: { readonly isTrusted: boolean }): void {
    this.#standingMs = STANDING_MS;
    if (isTrusted && this.#lookAtMs < this.#movedAtMs) this.#look = undefined;
  }

  /** The kernel has been asked, or nobody will ask it, and it does not tell whether the program waits for the terminal. */
  get knowsNothing(): boolean {
    if (this.#options.source === "asked" && this.#lookAtMs < this.#movedAtMs) return false;
    const { verdict = "unknown" } = this.#look ?? {};
    return verdict === "unknown" || verdict === "not-available" || verdict === "listening";
  }

  /** When to ask `verdict` again although nothing happened. */
  get dueMs(): number {
    const wait = this.#waitMs();
    // Where looks are asked for, it is one that ends the quiet.
    if (wait === undefined || this.#isAskedListener) return NEVER;
    return this.#movedAtMs + wait;
  }

  verdict(nowMs: number): Readiness | undefined {
    const wait = this.#waitMs();
    if (this.#look === undefined || wait === undefined) return undefined;
    if ((this.#isAskedListener ? this.#listenedMs : nowMs - this.#movedAtMs) < wait) return undefined;
    if (this.#look.verdict === "listening") return { reason: "quiet", asks: null };
    return { reason: "foreground", asks: asksOf(this.#look) };
  }

  get #isAskedListener(): boolean {
    return this.#options.source === "asked" && this.#look?.verdict === "listening";
  }

  /** How long nothing must have moved before the last look decides; undefined where it cannot. */
  #waitMs(): number | undefined {
    if (this.#look === undefined) return undefined;
    if (this.#look.verdict === "listening") return this.#options.listeningQuietMs;
    if (this.#look.verdict === "stopped") return STOPPED_MS;
    if (!awaitsInput(this.#look.verdict)) return undefined;
    if (this.#lookAtMs >= this.#movedAtMs) return this.#freshMs;
    return this.#options.source === "told" ? this.#standingMs : undefined;
  }
}

function asksOf({ verdict }: ForegroundLook): Asks | null {
  switch (verdict) {
    case "prompt":
      return "line";
    case "password":
      return "password";
    case "raw":
      return "keys";
    default:
      return null;
  }
}
