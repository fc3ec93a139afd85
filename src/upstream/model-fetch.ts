/** `fetch` for model servers: it retries while nothing was passed on, notices silence, and leaves a failing server alone. */
import type { BreakerOptions } from "../core/gate/breaker.ts";
import type { IdleOptions } from "../core/gate/idle.ts";
import type { RetryOptions, UpstreamFailure } from "../core/gate/retry.ts";
import { openAnswer } from "./open-answer.ts";
import { untilAnswered } from "./until-answered.ts";
import { UpstreamServers } from "./upstream-servers.ts";

/** Limits of a `modelFetch`, in milliseconds, and what it reports to. */
export interface ModelFetchOptions {
  /** Silence at which an answer is given up: `firstEventMs` (300,000) before its first part, `betweenEventsMs` (60,000) afterwards. */
  readonly idle?: IdleOptions | undefined;
  /** Attempts and the waits between them: `attemptsMax` (3), `delayMsMin` (500), `delayMsMax` (20,000), `retryAfterMsMax` (30,000), `totalMsMax` (60,000). */
  readonly retry?: RetryOptions | undefined;
  /** When a server is left alone, and for how long: `windowMs` (30,000), `callsMin` (5), `failureShare` (0.5), `openMs` (5,000), `openMsMax` (120,000). */
  readonly breaker?: BreakerOptions | undefined;
  /** Called before the wait for the next attempt. */
  readonly onRetry?: ((failure: UpstreamFailure, delayMs: number) => void) | undefined;
  /** What sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Returns a function that is called as `fetch` is, also by the client libraries of vendors that take one.
 *
 * - It resolves when the first part of the body is there. Until then a request that finds no connection, whose connection breaks, that stays
 *   silent, or that is answered with 408, 425, 429, 500, 502, 503, 504 or 529 is sent again; `Retry-After` is respected. After the first part nothing is sent again. The last answer is returned whatever its status.
 * - Events of an event stream end the silence, pings and comments do not; of other bodies each part does. Time in which nobody reads is not counted.
 * - A server (by origin) that fails too often gets no request for a while, then one at a time until one succeeds; while an answer of it streams it gets all.
 *
 * The function rejects with a `LecternError` `NOT_AVAILABLE`, and so do reads of the body; its `details.reason` is `refused`, `reset`, `idle` or
 * `breaker`. If the request's signal is aborted it rejects with the reason of the signal.
 *
 * @example
 * ```ts
 * const send = modelFetch({ idle: { betweenEventsMs: 30_000 } });
 * const response = await send(url, { method: "POST", headers, body });
 * for await (const chunk of response.body ?? []) reader.feed(chunk);
 * ```
 */
export function modelFetch(options: ModelFetchOptions = {}): typeof fetch {
  const { breaker, fetch: send, idle, onRetry, retry } = options;
  const servers = new UpstreamServers(breaker);
  return async (input, init) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : new AbortController().signal);
    signal.throwIfAborted();
    const request = new Request(input, { ...init, signal: null });
    const server = servers.of(new URL(request.url).origin);
    // A copy for each attempt, because a body can be read once.
    const attempt = (): ReturnType<typeof openAnswer> => openAnswer(request.clone(), { server, idle, send, signal });
    const opened = await untilAnswered(attempt, { server, retry, onRetry, signal });
    if (opened.response === undefined) throw opened.error;
    return opened.response;
  };
}
