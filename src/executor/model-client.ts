/** One turn of a model: the request sent, tried again while nothing of an answer was seen, and read as it comes. */
import { waits } from "../core/waits.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { LecternError } from "../core/errors.ts";
import { IdleWatch, type IdleOptions } from "../core/gate/idle.ts";
import { decideRetry, type UpstreamFailure } from "../core/gate/retry.ts";
import type { Dialect, Turn, WireDelta } from "../core/wire/turn.ts";
import { readAnswer, WireReader } from "../core/wire/wire-reader.ts";
import { writeRequest, type RequestToWrite } from "../core/wire/write-request.ts";

export interface ModelClientOptions {
  readonly dialect: Dialect;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Sent in a header and kept nowhere else. */
  readonly key: string | undefined;
  readonly idle?: IdleOptions;
  /** Told before it waits. */
  readonly onRetry?: (failure: UpstreamFailure, delayMs: number) => void;
}

/** Bytes of an answer that is no stream: an error of the server. */
const ERROR_BYTES_MAX = 65_536;

type Attempt =
  | { readonly turn: Turn; readonly failure: undefined }
  | { readonly turn: Turn | undefined; readonly failure: UpstreamFailure; readonly message: string };

export class ModelClient {
  readonly #options: ModelClientOptions;

  constructor(options: ModelClientOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the turn is over, also where it ended in an error of the stream. Throws `NOT_AVAILABLE` where no answer came,
   * `CANCELLED` when `signal` is aborted.
   */
  async turn(request: RequestToWrite, onDelta: (delta: WireDelta) => void, signal: AbortSignal): Promise<Turn> {
    const startMs = performance.now();
    let lastDelayMs = 0;
    for (let attempts = 1; ; attempts += 1) {
      let forwarded = false;
      const attempt = await this.#attempt(
        request,
        (delta) => {
          forwarded = true;
          onDelta(delta);
        },
        signal,
      );
      if (attempt.failure === undefined) return attempt.turn;
      signal.throwIfAborted();
      const { failure } = attempt;
      const elapsedMs = performance.now() - startMs;
      const next = decideRetry({ failure, attempts, forwarded, elapsedMs, lastDelayMs, random: Math.random() });
      if (!next.retry) {
        if (attempt.turn !== undefined && forwarded) return attempt.turn;
        throw new LecternError("NOT_AVAILABLE", `The model did not answer: ${attempt.message}`);
      }
      this.#options.onRetry?.(failure, next.delayMs);
      lastDelayMs = next.delayMs;
      await sleep(next.delayMs, undefined, { signal });
    }
  }

  async #attempt(request: RequestToWrite, onDelta: (delta: WireDelta) => void, signal: AbortSignal): Promise<Attempt> {
    const { baseUrl, dialect, idle, key } = this.#options;
    const { body, headers, path } = writeRequest(dialect, request, key);
    const silent = new AbortController();
    const watch = new IdleWatch(performance.now(), idle);
    const timer = setInterval(() => {
      if (watch.check(performance.now()).idle) silent.abort();
    }, waits.checkMs);
    const reader = new WireReader(dialect);
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, silent.signal]),
      });
      if (!response.ok) return await refused(dialect, response);
      for await (const chunk of response.body ?? []) {
        const deltas = reader.feed(chunk);
        if (deltas.length > 0) watch.event(performance.now());
        for (const delta of deltas) onDelta(delta);
      }
      for (const delta of reader.end())
        if (delta.type !== "finish" || reader.turn.finish !== "truncated") onDelta(delta);
      const { turn } = reader;
      if (turn.finish !== "truncated") return { turn, failure: undefined };
      return { turn, failure: { type: "reset" }, message: "the stream ended before the turn did" };
    } catch (error) {
      signal.throwIfAborted();
      reader.end();
      const type = silent.signal.aborted ? "idle" : reader.turn.sseEvents > 0 ? "reset" : "refused";
      const message = silent.signal.aborted ? "it fell silent" : reasonOf(error);
      return { turn: reader.turn, failure: { type }, message };
    } finally {
      clearInterval(timer);
    }
  }
}

/** An answer with an error status: its text in the dialect's own words. */
async function refused(dialect: Dialect, response: Response): Promise<Attempt> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > ERROR_BYTES_MAX) break;
  }
  const { turn } = readAnswer(dialect, Buffer.concat(chunks).toString("utf8"));
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : null;
  const message = `status ${response.status}${turn.error?.message == null ? "" : `, ${turn.error.message}`}`;
  return { turn: undefined, failure: { type: "status", status: response.status, retryAfterMs }, message };
}

/** `fetch` says "fetch failed", and the reason in its cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  if (cause instanceof Error) return cause.message || ((cause as NodeJS.ErrnoException).code ?? "no connection");
  return error instanceof Error ? error.message : String(error);
}
