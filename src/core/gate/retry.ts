/**
 * Decides whether and when to retry a request to an upstream. Pure: clock and randomness are arguments, and nothing sleeps here.
 *
 * Nothing is retried after a byte was forwarded, because the client would get the answer twice. Delays have decorrelated jitter
 * (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015). A budget limits retries to a share of the requests, so that
 * they do not worsen an outage.
 */

/** `refused`: no connection; `reset`: it broke before anything was forwarded; `idle`: the stream stopped. */
export type UpstreamFailure =
  | { readonly type: "refused" | "reset" | "idle" }
  | { readonly type: "status"; readonly status: number; readonly retryAfterMs: number | null };

/** A failed attempt and its history. */
export interface RetryAttempt {
  readonly failure: UpstreamFailure;
  /** How many times the request was sent, 1 or more. */
  readonly attempts: number;
  /** Part of an answer reached the client. */
  readonly forwarded: boolean;
  /** Since the first attempt. */
  readonly elapsedMs: number;
  /** The delay of the previous decision; 0 the first time. */
  readonly lastDelayMs: number;
  /** From 0 to below 1. */
  readonly random: number;
}

export interface RetryOptions {
  /** Times that a request is sent. Default 3. */
  readonly attemptsMax?: number;
  /** Default 500. */
  readonly delayMsMin?: number;
  /** Default 20,000. */
  readonly delayMsMax?: number;
  /** A longer `Retry-After` is passed to the client instead of waited for. Default 30,000. */
  readonly retryAfterMsMax?: number;
  /** No retry later than this after the first attempt. Default 60,000. */
  readonly totalMsMax?: number;
}

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly reason: "forwarded" | "permanent" | "attempts" | "retry-after" | "total" };

/** 529 is Anthropic's "overloaded". 501 and 505 are permanent. */
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529]);

/** Decides whether to retry after a failed attempt. */
export function decideRetry(attempt: RetryAttempt, options: RetryOptions = {}): RetryDecision {
  const {
    attemptsMax = 3,
    delayMsMin = 500,
    delayMsMax = 20_000,
    retryAfterMsMax = 30_000,
    totalMsMax = 60_000,
  } = options;
  const { failure } = attempt;
  if (attempt.forwarded) return { retry: false, reason: "forwarded" };
  if (failure.type === "status" && !transientStatuses.has(failure.status)) return { retry: false, reason: "permanent" };
  if (attempt.attempts >= attemptsMax) return { retry: false, reason: "attempts" };
  const askedMs = failure.type === "status" ? (failure.retryAfterMs ?? 0) : 0;
  if (askedMs > retryAfterMsMax) return { retry: false, reason: "retry-after" };
  const spread = Math.max(delayMsMin, attempt.lastDelayMs * 3) - delayMsMin || delayMsMin;
  const delayMs = Math.max(askedMs, Math.min(delayMsMax, Math.round(delayMsMin + attempt.random * spread)));
  return attempt.elapsedMs + delayMs > totalMsMax ? { retry: false, reason: "total" } : { retry: true, delayMs };
}

const retriesPerRequest = 0.2;
/** Retries that can be saved, also the initial number. */
const savedRetriesMax = 10;

/**
 * Limits retries to a share of the requests to one upstream: each request adds a fraction of a retry, each retry takes a whole one.
 */
export class RetryBudget {
  #saved = savedRetriesMax;

  request(): void {
    this.#saved = Math.min(savedRetriesMax, this.#saved + retriesPerRequest);
  }

  /** Takes one retry; false if there is none. */
  retry(): boolean {
    // Fractions do not add up exactly.
    if (this.#saved < 1 - 1e-9) return false;
    this.#saved -= 1;
    return true;
  }
}
