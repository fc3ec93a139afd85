/**
 * One request by `fetch`, until the first part of the answer's body is there. From then on the body is watched for silence, and its end
 * is reported to the breaker.
 */
import { LecternError } from "../core/errors.ts";
import type { IdleOptions } from "../core/gate/idle.ts";
import type { UpstreamFailure } from "../core/gate/retry.ts";
import { SseReader } from "../core/sse/sse-reader.ts";
import { IdleTimer } from "./idle-timer.ts";
import { isRefusedCode, permitOf, retryAfterMsOf, type Permit, type UpstreamServer } from "./upstream-servers.ts";

export interface OpenOptions {
  readonly server: UpstreamServer;
  /** Apart from the request: the signal of a copied `Request` ends with the copy, at the next garbage collection. */
  readonly signal: AbortSignal;
  readonly idle?: IdleOptions | undefined;
  /** Sends the request. Default: the global `fetch`. */
  readonly send?: typeof fetch | undefined;
}

/** An answer, also one with a status that is a failure, or why there is none. */
export type OpenedAnswer =
  | { readonly response: Response; readonly failure?: UpstreamFailure; readonly drop: () => void }
  | { readonly response: undefined; readonly failure: UpstreamFailure; readonly error: LecternError };

/** Rejects with the reason of the signal if that is aborted, and with `NOT_AVAILABLE` if the breaker is open. */
export async function openAnswer(request: Request, options: OpenOptions): Promise<OpenedAnswer> {
  const { idle, send = fetch, server, signal } = options;
  const { origin } = new URL(request.url);
  const permit = permitOf(server);
  if ("retryInMs" in permit) throw leftAlone(origin, permit.retryInMs);
  const silence = new AbortController();
  const timer = new IdleTimer(idle ?? {}, (silentMs) => silence.abort(silent(origin, silentMs)));
  const stop = AbortSignal.any([signal, silence.signal]);
  const watch = { permit, timer, silence: silence.signal, signal, stop, origin };
  try {
    const response = await send(request, { signal: stop });
    const failure = failureOf(response);
    if (failure !== undefined) permit.settle(failure.status >= 500 ? "failure" : "success");
    const body =
      response.body === null ? null : await watchedBody(response, response.body, watch, failure === undefined);
    if (body === null) over(watch, "success");
    const watched = new Response(body, response);
    Object.defineProperty(watched, "url", { value: response.url });
    return { response: watched, ...(failure && { failure }), drop: () => void body?.cancel().catch(() => {}) };
  } catch (error) {
    over(watch, signal.aborted ? "ignored" : "failure");
    signal.throwIfAborted();
    return { response: undefined, ...failedRequest(error, watch) };
  }
}

interface Watch {
  readonly permit: Permit;
  readonly timer: IdleTimer;
  /** Aborted when the answer has been silent for too long. */
  readonly silence: AbortSignal;
  /** Of the caller. */
  readonly signal: AbortSignal;
  /** Aborted with either of them. */
  readonly stop: AbortSignal;
  readonly origin: string;
}

function over({ permit, timer }: Watch, outcome: Parameters<Permit["settle"]>[0]): void {
  timer[Symbol.dispose]();
  permit.settle(outcome);
}

/** Statuses that the retry rules know; undefined for an answer that is not one. */
function failureOf(response: Response): (UpstreamFailure & { readonly type: "status" }) | undefined {
  const { headers, status } = response;
  return status < 400
    ? undefined
    : { type: "status", status, retryAfterMs: retryAfterMsOf(headers.get("retry-after")) };
}

function failedRequest(
  cause: unknown,
  { origin, silence }: Watch,
): { readonly failure: UpstreamFailure; readonly error: LecternError } {
  if (silence.aborted) return { failure: { type: "idle" }, error: silence.reason as LecternError };
  const type = isRefusedCode(codeOf(cause)) ? "refused" : "reset";
  const message =
    type === "refused"
      ? `Cannot reach the model server ${origin}: ${reasonOf(cause)}`
      : `The connection to the model server ${origin} broke before it answered: ${reasonOf(cause)}`;
  return { failure: { type }, error: new LecternError("NOT_AVAILABLE", message, { details: { reason: type }, cause }) };
}

/** The body as the server sends it. If it is the answer that was asked for, it is there when its first part is. */
async function watchedBody(
  response: Response,
  body: ReadableStream<Uint8Array>,
  watch: Watch,
  waits: boolean,
): Promise<ReadableStream<Uint8Array>> {
  const { stop, timer } = watch;
  const reader = body.getReader();
  // Not left to `fetch`, which forgets its signal when its own objects are collected.
  const cancelReader = (): void => void reader.cancel(stop.reason).catch(() => {});
  stop.addEventListener("abort", cancelReader, { once: true });
  const signsIn = signReader(response);
  let first = waits ? await reader.read() : undefined;
  stop.throwIfAborted();
  timer.pause();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    timer.resume();
    try {
      const part = first ?? (await reader.read());
      first = undefined;
      stop.throwIfAborted();
      if (part.done) {
        stop.removeEventListener("abort", cancelReader);
        over(watch, "success");
        controller.close();
        return;
      }
      const { isAnswer, isEvent } = signsIn(part.value);
      if (isEvent) timer.event();
      // The body of a failure is read here, too.
      if (isAnswer && waits) watch.permit.begun();
      controller.enqueue(part.value);
      timer.pause();
    } catch (cause) {
      over(watch, watch.signal.aborted ? "ignored" : "failure");
      controller.error(brokenStream(cause, watch));
    }
  };
  const cancel = async (reason: unknown): Promise<void> => {
    stop.removeEventListener("abort", cancelReader);
    over(watch, "ignored");
    await reader.cancel(reason);
  };
  // Nothing is read ahead: the time in which nobody reads is not the server's silence.
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

interface Signs {
  /** The model goes on, which pings and comments do not show. */
  readonly isEvent: boolean;
  /** There is more than an error. */
  readonly isAnswer: boolean;
}

/** Of what is not an event stream, each part is a sign. */
function signReader({ headers }: Response): (chunk: Uint8Array) => Signs {
  if (!/^text\/event-stream\b/i.test(headers.get("content-type") ?? ""))
    return () => ({ isEvent: true, isAnswer: true });
  const reader = new SseReader();
  return (chunk) => {
    if (reader.failure !== null) return { isEvent: true, isAnswer: false };
    const names = reader.feed(chunk).map(({ event }) => event);
    const isEvent = reader.failure !== null || names.some((name) => name !== "ping");
    return { isEvent, isAnswer: names.some((name) => name !== "ping" && name !== "error") };
  };
}

function brokenStream(cause: unknown, { origin, signal, silence }: Watch): unknown {
  if (signal.aborted) return signal.reason;
  if (silence.aborted) return silence.reason;
  const message = `The stream of the model server ${origin} broke: ${reasonOf(cause)}`;
  return new LecternError("NOT_AVAILABLE", message, { details: { reason: "reset" }, cause });
}

const silent = (origin: string, silentMs: number): LecternError =>
  new LecternError("NOT_AVAILABLE", `The model server ${origin} has been silent for ${Math.round(silentMs / 1000)} s`, {
    details: { reason: "idle", silentMs: Math.round(silentMs) },
  });

const leftAlone = (origin: string, retryInMs: number): LecternError =>
  new LecternError(
    "NOT_AVAILABLE",
    `The model server ${origin} failed too often: it is left alone for ${Math.ceil(retryInMs / 1000)} s`,
    { details: { reason: "breaker", retryInMs: Math.ceil(retryInMs) } },
  );

const codeOf = (error: unknown): unknown => (causeOf(error) as { readonly code?: unknown } | undefined)?.code;

/** `fetch` reports "fetch failed", and the reason in its cause. */
function reasonOf(error: unknown): string {
  const cause = causeOf(error);
  const code = codeOf(error);
  if (cause instanceof Error) return cause.message || (typeof code === "string" ? code : "no connection");
  return error instanceof Error ? error.message : String(error);
}

const causeOf = (error: unknown): unknown => (error as { readonly cause?: unknown } | null)?.cause;
