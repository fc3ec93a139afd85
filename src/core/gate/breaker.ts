/**
 * A circuit breaker as a state machine with the clock as an argument (Nygard, "Release It!", 2nd edition, section 5.2).
 *
 * `closed` passes all calls and counts failures in a sliding window; `open` passes none for a while; `half-open` passes one trial at a
 * time: a failure opens it again for twice as long, and it closes when the answer of a trial has begun. A trial without a report is replaced after `openMsMax`.
 * While an answer streams, the server answers: then every call passes, whatever the state. How long others have to wait for a server that
 * is overloaded is said by its own answers.
 */

export interface BreakerOptions {
  /** Length of the sliding window. Default 30,000. */
  readonly windowMs?: number;
  /** Calls in the window before the share of failures counts. Default 5. */
  readonly callsMin?: number;
  /** Share of failures at which it opens. Default 0.5. */
  readonly failureShare?: number;
  /** Time in `open`, doubled with each failed trial up to `openMsMax`. Defaults 5,000 and 120,000. */
  readonly openMs?: number;
  readonly openMsMax?: number;
}

/** `closed` passes all calls, `open` none, `half-open` one trial. */
export type BreakerState = "closed" | "open" | "half-open";

/** `permit` is reported back with the outcome. */
export type BreakerAnswer =
  | { readonly pass: true; readonly permit: number }
  | { readonly pass: false; readonly state: "open" | "half-open"; readonly retryInMs: number };

const slots = 10;
/** Answers that are remembered as streaming; the oldest is forgotten beyond this. */
const STREAMING_MAX = 1000;
/** A caller that has gone reports no end: an answer counts as streaming for so long at most. */
const STREAMING_MS_MAX = 600_000;

export class Breaker {
  readonly #options: Required<BreakerOptions>;
  #state: BreakerState = "closed";
  #counts: { slot: number; failures: number; successes: number }[] = [];
  /** Permits below this number belong to an earlier state, so their outcomes are ignored. */
  #epochStart = 0;
  #nextPermit = 0;
  #openUntilMs = 0;
  #openMs: number;
  /** The permit of the current trial, and when it began. */
  #trial: number | undefined;
  #trialMs = 0;
  /** Permits whose answer has begun and that have no outcome, and when it began. */
  readonly #streaming = new Map<number, number>();

  constructor(options: BreakerOptions = {}) {
    this.#options = {
      windowMs: 30_000,
      callsMin: 5,
      failureShare: 0.5,
      openMs: 5_000,
      openMsMax: 120_000,
      ...options,
    };
    this.#openMs = this.#options.openMs;
  }

  state(nowMs: number): BreakerState {
    return this.#state === "open" && nowMs >= this.#openUntilMs ? "half-open" : this.#state;
  }

  /** Asks for a permit. Each one must be reported, even if the call was abandoned. */
  ask(nowMs: number): BreakerAnswer {
    if (this.#state !== "closed" && this.#streams(nowMs)) return this.#pass();
    if (this.#state === "open") {
      if (nowMs < this.#openUntilMs) return { pass: false, state: "open", retryInMs: this.#openUntilMs - nowMs };
      this.#enter("half-open");
    }
    if (this.#state === "half-open") {
      // A trial whose caller has gone is never reported: it must not keep the breaker half open for ever.
      const hasTrial = this.#trial !== undefined && nowMs - this.#trialMs < this.#options.openMsMax;
      if (hasTrial) return { pass: false, state: "half-open", retryInMs: this.#options.openMs };
      this.#trial = this.#nextPermit;
      this.#trialMs = nowMs;
    }
    return this.#pass();
  }

  #pass(): BreakerAnswer {
    this.#nextPermit += 1;
    return { pass: true, permit: this.#nextPermit - 1 };
  }

  #streams(nowMs: number): boolean {
    for (const [permit, beganMs] of this.#streaming) {
      if (nowMs - beganMs < STREAMING_MS_MAX) return true;
      this.#streaming.delete(permit);
    }
    return false;
  }

  /** The answer has begun: it may take minutes, in which other calls pass. Its outcome is reported as well. */
  begun(permit: number, nowMs: number): void {
    const [oldest] = this.#streaming.keys();
    if (this.#streaming.size >= STREAMING_MAX && oldest !== undefined) this.#streaming.delete(oldest);
    this.#streaming.set(permit, nowMs);
    if (this.#state === "closed" || permit < this.#epochStart) return;
    this.#enter("closed");
    this.#epochStart = permit;
  }

  /** `ignored`: the call is no evidence about the server (it was cancelled or refused here). */
  report(report: {
    readonly permit: number;
    readonly outcome: "success" | "failure" | "ignored";
    readonly nowMs: number;
  }): void {
    const { permit, outcome, nowMs } = report;
    this.#streaming.delete(permit);
    if (permit < this.#epochStart) return;
    if (this.#state === "half-open") return this.#reportTrial(permit, outcome, nowMs);
    if (this.#state !== "closed" || outcome === "ignored") return;
    if (outcome === "success") this.#openMs = this.#options.openMs;
    this.#count(outcome, nowMs);
    const failures = this.#counts.reduce((sum, count) => sum + count.failures, 0);
    const calls = this.#counts.reduce((sum, count) => sum + count.failures + count.successes, 0);
    if (outcome === "failure" && calls >= this.#options.callsMin && failures / calls >= this.#options.failureShare)
      this.#open(nowMs);
  }

  #reportTrial(permit: number, outcome: "success" | "failure" | "ignored", nowMs: number): void {
    if (permit !== this.#trial) return;
    this.#trial = undefined;
    if (outcome === "ignored") return;
    if (outcome === "failure") {
      this.#openMs = Math.min(this.#openMs * 2, this.#options.openMsMax);
      return this.#open(nowMs);
    }
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
    this.#trial = undefined;
    this.#epochStart = this.#nextPermit;
  }

  /** The window moves in tenths, so ten counts replace one entry per call. */
  #count(outcome: "success" | "failure", nowMs: number): void {
    const slot = Math.floor((nowMs * slots) / this.#options.windowMs);
    this.#counts = this.#counts.filter((count) => count.slot > slot - slots);
    const current = this.#counts.find((count) => count.slot === slot) ?? { slot, failures: 0, successes: 0 };
    if (!this.#counts.includes(current)) this.#counts.push(current);
    if (outcome === "failure") current.failures += 1;
    else current.successes += 1;
  }
}
