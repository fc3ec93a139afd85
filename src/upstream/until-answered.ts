/** Sends a request again, with growing waits, while nothing of an answer was passed on. */
import { setTimeout as sleep } from "node:timers/promises";
import { decideRetry, type RetryOptions, type UpstreamFailure } from "../core/gate/retry.ts";
import type { UpstreamServer } from "./upstream-servers.ts";

/** What an attempt gives, with `failure` if it failed. */
export interface Attempted {
  readonly failure?: UpstreamFailure | undefined;
  /** Part of an answer was passed on, so the request is not sent again. */
  readonly forwarded?: boolean;
  /** Drops what it holds, before the next attempt. */
  readonly drop?: () => void;
}

export interface SendOptions {
  readonly server: UpstreamServer;
  readonly retry?: RetryOptions | undefined;
  /** Ends the wait between two attempts. */
  readonly signal: AbortSignal;
  /** Told before it waits. */
  readonly onRetry?: ((failure: UpstreamFailure, delayMs: number) => void) | undefined;
}

/** Resolves with the first attempt that did not fail, or with the last one. Rejects with what an attempt throws, and if `signal` is aborted. */
export async function untilAnswered<Result extends Attempted>(
  attempt: (attempts: number) => Promise<Result>,
  { onRetry, retry, server, signal }: SendOptions,
): Promise<Result> {
  server.budget.request();
  const startMs = performance.now();
  let lastDelayMs = 0;
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt(attempts);
    const { failure, forwarded = false } = result;
    if (failure === undefined) return result;
    signal.throwIfAborted();
    const elapsedMs = performance.now() - startMs;
    const decision = decideRetry(
      { failure, attempts, forwarded, elapsedMs, lastDelayMs, random: Math.random() },
      retry,
    );
    if (!decision.retry || !server.budget.retry()) return result;
    result.drop?.();
    onRetry?.(failure, decision.delayMs);
    lastDelayMs = decision.delayMs;
    await sleep(decision.delayMs, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  }
}
