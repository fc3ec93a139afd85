/**
 * A circuit breaker as a state machine with the clock as an argument (Nygard, "Release It!", 2nd edition, section 5.2).
 *
 * `closed` lets all through and counts failures in a sliding window; `open` lets nothing through for a while; `half-open`
 * lets a few trials through: one failure opens it again, for twice as long, and enough successes close it.
 */

export interface BreakerOptions {
  /** How far back failures count. Default 30,000. */
  readonly windowMs?: number;
  /** Calls in the window before a share means anything. Default 5. */
  readonly callsMin?: number;
  /** Opens at this share of failures. Default 0.5. */
  readonly failureShare?: number;
  /** Stays open for so long, doubled with each failed trial up to `openMsMax`. Defaults 5,000 and 120,000. */
  readonly openMs?: number;
  readonly openMsMax?: number;
  /** Trials at the same time, and successes that close it. Defaults 1 and 1. */
  readonly trialsMax?: number;
  readonly successesMin?: number;
}

/** `closed` lets all pass, `open` none, `half-open` one trial at a time. */
export type BreakerState = "closed" | "open" | "half-open";

/** `permit` goes back with the outcome. */
export type BreakerAnswer =
  | { readonly pass: true; readonly permit: number }
  | { readonly pass: false; readonly state: "open" | "half-open"; readonly retryInMs: number };

const slots = 10;

/**
 * @example
 * ```ts
 * const breaker = new Breaker();
 * const answer = breaker.ask(Date.now());
 * if (answer.pass) breaker.report({ permit: answer.permit, outcome: "failure", nowMs: Date.now() });
 * ```
 */
export class Breaker {
  readonly #options: Required<BreakerOptions>;
  #state: BreakerState = "closed";
  #counts: { slot: number; failures: number; successes: number }[] = [];
  /** Permits from before this number were given in an earlier state: their outcome says nothing about this one. */
  #epochStart = 0;
  #nextPermit = 0;
  #openUntilMs = 0;
  #openMs: number;
  #trials = new Set<number>();
  #trialSuccesses = 0;

  constructor(options: BreakerOptions = {}) {
    this.#options = {
      windowMs: 30_000,
      callsMin: 5,
      failureShare: 0.5,
      openMs: 5_000,
      openMsMax: 120_000,
      trialsMax: 1,
      successesMin: 1,
      ...options,
    };
    this.#openMs = this.#options.openMs;
  }

  state(nowMs: number): BreakerState {
    return this.#state === "open" && nowMs >= this.#openUntilMs ? "half-open" : this.#state;
  }

  /** May a call go through now? Each permit must be reported, also when the call was given up. */
  ask(nowMs: number): BreakerAnswer {
    if (this.#state === "open") {
      if (nowMs < this.#openUntilMs) return { pass: false, state: "open", retryInMs: this.#openUntilMs - nowMs };
      this.#enter("half-open");
    }
    if (this.#state === "half-open") {
      if (this.#trials.size >= this.#options.trialsMax)
        return { pass: false, state: "half-open", retryInMs: this.#options.openMs };
      this.#trials.add(this.#nextPermit);
    }
    this.#nextPermit += 1;
    return { pass: true, permit: this.#nextPermit - 1 };
  }

  /** `ignored`: the call says nothing about the other side (cancelled here, refused by us). */
  report(report: {
    readonly permit: number;
    readonly outcome: "success" | "failure" | "ignored";
    readonly nowMs: number;
  }): void {
    const { permit, outcome, nowMs } = report;
    if (permit < this.#epochStart) return;
    if (this.#state === "half-open") return this.#reportTrial(permit, outcome, nowMs);
    if (this.#state !== "closed" || outcome === "ignored") return;
    this.#count(outcome, nowMs);
    const failures = this.#counts.reduce((sum, count) => sum + count.failures, 0);
    const calls = this.#counts.reduce((sum, count) => sum + count.failures + count.successes, 0);
    if (outcome === "failure" && calls >= this.#options.callsMin && failures / calls >= this.#options.failureShare)
      this.#open(nowMs);
  }

  #reportTrial(permit: number, outcome: "success" | "failure" | "ignored", nowMs: number): void {
    if (!this.#trials.delete(permit) || outcome === "ignored") return;
    if (outcome === "failure") {
      this.#openMs = Math.min(this.#openMs * 2, this.#options.openMsMax);
      return this.#open(nowMs);
    }
    this.#trialSuccesses += 1;
    if (this.#trialSuccesses < this.#options.successesMin) return;
    this.#openMs = this.#options.openMs;
    this.#enter("closed");
  }

  #open(nowMs: number): void {
    this.#enter("open");
    this.#openUntilMs = nowMs + this.#openMs;
  }

  #enter(state: BreakerState): void {
    this.#state = state;
    this.#counts = [];
    this.#trials = new Set();
    this.#trialSuccesses = 0;
    this.#epochStart = this.#nextPermit;
  }

  /** Ten counts instead of one entry per call: the window moves in tenths. */
  #count(outcome: "success" | "failure", nowMs: number): void {
    const slot = Math.floor((nowMs * slots) / this.#options.windowMs);
    this.#counts = this.#counts.filter((count) => count.slot > slot - slots);
    const current = this.#counts.find((count) => count.slot === slot) ?? { slot, failures: 0, successes: 0 };
    if (!this.#counts.includes(current)) this.#counts.push(current);
    if (outcome === "failure") current.failures += 1;
    else current.successes += 1;
  }
}
