/** Limits for the rate and concurrency of tool calls, as state machines: the clock is an argument, and nothing waits here. */
import type { LimitSettings } from "./policy.ts";

/** How often something may happen. */
export interface RateSettings {
  /** Calls in `perMs`, on average. */
  readonly calls: number;
  readonly perMs: number;
  /** Calls at once after an idle time. */
  readonly burst: number;
}

/** Whether a token was available; if not, in how many milliseconds one is. */
export type Taken = { readonly taken: true } | { readonly taken: false; readonly retryInMs: number };

/**
 * A token bucket: `burst` tokens at first, `calls` more in each `perMs`, at most `burst`. A clock that goes back adds none.
 */
export class TokenBucket {
  readonly #settings: RateSettings;
  #tokens: number;
  /** The time for which `#tokens` is valid; undefined before the first call. */
  #atMs: number | undefined;

  constructor(settings: RateSettings) {
    this.#settings = settings;
    this.#tokens = settings.burst;
  }

  /** What `take` would answer, without taking. */
  check(nowMs: number): Taken {
    this.#refill(nowMs);
    if (this.#tokens >= 1 - roundingError) return { taken: true };
    return {
      taken: false,
      retryInMs: Math.ceil(((1 - roundingError - this.#tokens) * this.#settings.perMs) / this.#settings.calls),
    };
  }

  take(nowMs: number): Taken {
    const answer = this.check(nowMs);
    if (answer.taken) this.#tokens -= 1;
    return answer;
  }

  /** A full bucket has no state and can be dropped. */
  isFull(nowMs: number): boolean {
    this.#refill(nowMs);
    return this.#tokens >= this.#settings.burst - roundingError;
  }

  #refill(nowMs: number): void {
    const elapsedMs = Math.max(0, nowMs - (this.#atMs ?? nowMs));
    const { burst, calls, perMs } = this.#settings;
    this.#tokens = Math.min(burst, this.#tokens + (elapsedMs * calls) / perMs);
    this.#atMs = Math.max(nowMs, this.#atMs ?? nowMs);
  }
}

/** Fractions of a token do not add up exactly. */
const roundingError = 1e-9;

export interface LimitedCall {
  /** Identifies the running call until `end`. */
  readonly key: string;
  readonly tool: string;
  readonly session: string;
}

/** Whether a call may start now; if not, the limit of the policy that forbids it. */
export type Admission =
  | { readonly admitted: true }
  | {
      readonly admitted: false;
      readonly limit: { readonly id: string; readonly line: number };
      readonly reason: "rate" | "concurrency" | "sessions";
      /** When a token is available; null if another call must end first. */
      readonly retryInMs: number | null;
    };

interface Counter {
  readonly bucket: TokenBucket | null;
  readonly running: Set<string>;
}

/** The limits of a policy. A call counts against all limits that apply to it, or against none. */
export class CallLimits {
  readonly #limits: readonly LimitSettings[];
  readonly #countersMax: number;
  /** By limit and session; idle and full ones are dropped first. */
  readonly #counters = new Map<string, Counter>();
  readonly #held = new Map<string, readonly Counter[]>();

  /** `countersMax`: pairs of limit and session that are tracked; beyond it calls of new sessions are refused. Default 10,000. */
  constructor(limits: readonly LimitSettings[], options: { readonly countersMax?: number } = {}) {
    this.#limits = limits;
    this.#countersMax = options.countersMax ?? 10_000;
  }

  /** Calls that are admitted and not ended. */
  get running(): number {
    return this.#held.size;
  }

  admit(call: LimitedCall, nowMs: number): Admission {
    if (this.#held.has(call.key)) return { admitted: true };
    const counters: Counter[] = [];
    for (const limit of this.#limits) {
      if (limit.tools !== null && !limit.tools.some((glob) => glob.matches(call.tool))) continue;
      const counter = this.#counter(limit, call, nowMs);
      const refusal = counter === undefined ? refuse(limit, "sessions", null) : check(limit, counter, nowMs);
      if (refusal !== undefined) return refusal;
      if (counter !== undefined) counters.push(counter);
    }
    for (const counter of counters) {
      counter.bucket?.take(nowMs);
      counter.running.add(call.key);
    }
    this.#held.set(call.key, counters);
    return { admitted: true };
  }

  /** No effect if the call is not running. */
  end(key: string): void {
    for (const counter of this.#held.get(key) ?? []) counter.running.delete(key);
    this.#held.delete(key);
  }

  #counter(limit: LimitSettings, call: LimitedCall, nowMs: number): Counter | undefined {
    const name = `${limit.id}\n${limit.scope === "all" ? "" : call.session}`;
    const known = this.#counters.get(name);
    if (known !== undefined) return known;
    if (this.#counters.size >= this.#countersMax) this.#forget(nowMs);
    if (this.#counters.size >= this.#countersMax) return undefined;
    const counter = { bucket: limit.rate === null ? null : new TokenBucket(limit.rate), running: new Set<string>() };
    this.#counters.set(name, counter);
    return counter;
  }

  #forget(nowMs: number): void {
    for (const [name, counter] of this.#counters) {
      if (counter.running.size === 0 && counter.bucket?.isFull(nowMs) !== false) this.#counters.delete(name);
    }
  }
}

function check(limit: LimitSettings, counter: Counter, nowMs: number): Admission | undefined {
  if (limit.concurrent !== null && counter.running.size >= limit.concurrent) return refuse(limit, "concurrency", null);
  const token = counter.bucket?.check(nowMs);
  return token === undefined || token.taken ? undefined : refuse(limit, "rate", token.retryInMs);
}

const refuse = (
  limit: LimitSettings,
  reason: "rate" | "concurrency" | "sessions",
  retryInMs: number | null,
): Admission => ({ admitted: false, limit: { id: limit.id, line: limit.line }, reason, retryInMs });
