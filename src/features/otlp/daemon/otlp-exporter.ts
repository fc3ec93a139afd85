/**
 * Sends the spans of all sessions to an OTLP collector, while the daemon runs.
 *
 * Law: the queue is the journal. Spans are made when they are about to be sent, one request is on its way, and the position of a session moves
 * only when the collector has taken its spans. So a daemon that is killed, or a collector that is away, loses none; at most the last request is
 * sent twice, with the same ids. A session that is removed takes with it what was not sent.
 */
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { MetricSet } from "../../../core/metrics/metric-set.ts";
import type { OtlpSettings } from "../core/otlp-settings.ts";
import { requestOf, type OtlpSpan, type SpanSource, type OtlpRequest } from "../core/span.ts";
import { waits } from "../../../core/waits.ts";
import type { DaemonProblems } from "../../../daemon/problems.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import type { SessionRegistry } from "../../../daemon/sessions/session-registry.ts";
import type { SessionViews } from "../../../daemon/views/session-views.ts";
import { Waiters } from "../../../daemon/async/waiters.ts";
import { readJsonFile } from "../../../host/json-file.ts";
import { readPosition, writePosition } from "./position-file.ts";
import { SpanReader, spanSource } from "./span-reader.ts";
import { retryAfterMsOf } from "../../../upstream/upstream-servers.ts";

/** Of one request. */
const SPANS_MAX = 512;
/** Between two attempts: doubled from the first to the last. */
const RETRY_MS_MAX = 300_000;
const PART = "OTLP export";

export interface OtlpExporterOptions {
  readonly settings: OtlpSettings;
  readonly version: string;
  readonly registry: Pick<SessionRegistry, "all" | "get" | "subscribe">;
  readonly views: Pick<SessionViews, "peek" | "store" | "subscribe">;
  readonly problems: Pick<DaemonProblems, "set" | "note">;
  readonly metrics: MetricSet;
  /** Has the time at which spans were sent first: sessions that had ended before are left out. */
  readonly stateFile: string;
  readonly onError: (error: unknown) => void;
}

export class OtlpExporter implements AsyncDisposable {
  readonly #options: OtlpExporterOptions;
  readonly #source: SpanSource;
  /** Ids of sessions that may have new spans. */
  readonly #dirty = new Set<string>();
  readonly #readers = new Map<string, SpanReader>();
  readonly #news = new Waiters();
  readonly #stop = new AbortController();
  readonly #watches = new DisposableStack();
  readonly #running: Promise<void>;
  #spansMax = SPANS_MAX;
  #retryMs: number = waits.retryMs;

  constructor(options: OtlpExporterOptions) {
    this.#options = options;
    const { registry, settings, version, views } = options;
    this.#source = spanSource(version, settings.resource);
    this.#watches.use(views.subscribe(({ id }) => this.#note(id)));
    this.#watches.use(registry.subscribe((id) => this.#note(id)));
    this.#running = this.#run().catch(options.onError);
  }

  /** What was not sent is sent by the next daemon. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#watches.dispose();
    this.#stop.abort();
    await this.#running;
  }

  #note(id: string): void {
    if (this.#dirty.has(id)) return;
    this.#dirty.add(id);
    this.#news.wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    this.#findUnsent();
    while (!signal.aborted) {
      if (this.#dirty.size === 0) await this.#news.next(signal);
      // What comes at the same time goes out together.
      await delay(waits.checkMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#round();
    }
  }

  /** Sessions that run, and those of which an earlier daemon has sent a part. */
  #findUnsent(): void {
    const since = this.#since();
    for (const entry of this.#options.registry.all) {
      if (entry.live || (entry.stored.endedAt ?? "") >= since) this.#dirty.add(entry.id);
    }
  }

  #since(): string {
    const { onError, stateFile } = this.#options;
    const stored = readJsonFile(stateFile) as { readonly since: string } | null | undefined;
    if (stored) return stored.since;
    const since = new Date().toISOString();
    try {
      writeFileSync(stateFile, JSON.stringify({ since }), { mode: 0o600 });
    } catch (error) {
      onError(error);
    }
    return since;
  }

  async #round(): Promise<void> {
    const waiting = [...this.#dirty];
    this.#dirty.clear();
    for (const id of waiting) {
      if (this.#stop.signal.aborted) return;
      const entry = this.#options.registry.get(id);
      if (entry === undefined) this.#readers.delete(id);
      else await this.#export(entry);
    }
  }

  async #export(entry: SessionEntry): Promise<void> {
    try {
      const reader = this.#readerOf(entry);
      for (;;) {
        const before = reader.position;
        const spans = await reader.read(this.#spansMax);
        if (spans.length > 0 && !(await this.#send(spans))) {
          // The daemon ends: the next one reads this part again.
          this.#readers.delete(entry.id);
          return;
        }
        if (spans.length > 0 || reader.isDone) writePosition(entry.directory, reader.position);
        if (reader.position.offset === before.offset || reader.isDone) break;
      }
      if (reader.isDone) this.#readers.delete(entry.id);
      // Its views have not read its end.
      else if (!entry.live) this.#noteLater(entry.id);
    } catch (error) {
      this.#readers.delete(entry.id);
      // Removed in between, or a journal that cannot be read: its row in the list says which.
      if (this.#options.registry.get(entry.id) !== undefined && entry.live) this.#options.onError(error);
    }
  }

  #noteLater(id: string): void {
    setTimeout(() => {
      if (!this.#stop.signal.aborted) this.#note(id);
    }, waits.retryMs).unref();
  }

  #readerOf(entry: SessionEntry): SpanReader {
    const known = this.#readers.get(entry.id);
    if (known !== undefined) return known;
    const { settings, views } = this.#options;
    const reader = new SpanReader({ entry, views, content: settings.content }, readPosition(entry.directory));
    this.#readers.set(entry.id, reader);
    return reader;
  }

  /** In requests of their own if there are too many. False if the daemon is shutting down. */
  async #send(spans: readonly OtlpSpan[]): Promise<boolean> {
    for (let from = 0; from < spans.length;) {
      if (this.#stop.signal.aborted) return false;
      const part = spans.slice(from, from + this.#spansMax);
      const { settings } = this.#options;
      const result = await sendSpans(requestOf(part, this.#source), settings, this.#stop.signal);
      if (this.#stop.signal.aborted && result.type !== "sent") return false;
      this.#options.metrics.add("lectern_otlp_requests_total", { code: result.code });
      if (result.type === "failed") await this.#wait(result);
      else if (result.type === "refused" && part.length > 1) this.#spansMax = Math.ceil(part.length / 2);
      else {
        this.#taken(part.length, result);
        from += part.length;
      }
    }
    return true;
  }

  #taken(count: number, result: Exclude<SendResult, { readonly type: "failed" }>): void {
    const { metrics, problems, settings } = this.#options;
    const rejected = result.type === "refused" ? count : Math.min(count, result.rejected);
    metrics.add("lectern_otlp_spans_total", { outcome: "sent" }, count - rejected);
    if (rejected > 0) {
      metrics.add("lectern_otlp_spans_total", { outcome: "rejected" }, rejected);
      problems.note(`"${placeOf(settings.url)}" refused ${rejected} of ${count} spans: ${result.message}`);
    }
    this.#retryMs = waits.retryMs;
    this.#spansMax = Math.min(SPANS_MAX, this.#spansMax * 2);
    problems.set(PART, null);
  }

  async #wait({ afterMs, message }: Extract<SendResult, { readonly type: "failed" }>): Promise<void> {
    const { problems, settings } = this.#options;
    const next = "they stay in the journals and are sent later; check the section otlp and the collector";
    problems.set(PART, `Cannot send spans to "${placeOf(settings.url)}" (${message}): ${next}`);
    // Daemons that lost the same collector do not come back at the same time.
    const waitMs = afterMs ?? this.#retryMs * (0.5 + Math.random() / 2);
    this.#retryMs = Math.min(RETRY_MS_MAX, this.#retryMs * 2);
    await delay(waitMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}

/** Without a query or a password. */
const placeOf = (url: string): string => {
  const { host, pathname, protocol } = new URL(url);
  return `${protocol}//${host}${pathname}`;
};

// One request to an OTLP collector (https://opentelemetry.io/docs/specs/otlp/#otlphttp). Redirects are not followed.

/** Of an answer; what is beyond is not read. */
const ANSWER_BYTES_MAX = 65_536;
const RETRY_AFTER_MS_MAX = 300_000;

/**
 * - `sent`: the collector took the request; `rejected` of its spans it did not take, and they are not sent again
 * - `refused`: it will never take this body
 * - `failed`: to be sent again, not before `afterMs` if the collector named a time
 */
type SendResult =
  | { readonly type: "sent"; readonly code: string; readonly rejected: number; readonly message: string }
  | { readonly type: "refused"; readonly code: string; readonly message: string }
  | { readonly type: "failed"; readonly code: string; readonly message: string; readonly afterMs: number | null };

async function sendSpans(
  request: OtlpRequest,
  { headers, timeoutMs, url }: Pick<OtlpSettings, "headers" | "timeoutMs" | "url">,
  signal: AbortSignal,
): Promise<SendResult> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(request),
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return resultOf(response, await textOf(response));
  } catch (error) {
    const { cause, message } = error as Error;
    return { type: "failed", code: "none", message: cause instanceof Error ? cause.message : message, afterMs: null };
  }
}

function resultOf(response: Response, text: string): SendResult {
  const { status } = response;
  const code = String(status);
  if (status >= 200 && status < 300) return { type: "sent", code, ...partialSuccessOf(text) };
  const location = response.headers.get("location");
  if (status >= 300 && status < 400)
    return {
      type: "failed",
      code,
      message: `it redirects to "${location ?? ""}", which is not followed`,
      afterMs: null,
    };
  const message = `HTTP ${code}${text === "" ? "" : `: ${text.slice(0, 200)}`}`;
  // A body that is not understood, or too large, does not become better; all other refusals are those of a setup.
  if (status === 400 || status === 413 || status === 422) return { type: "refused", code, message };
  const afterMs = retryAfterMsOf(response.headers.get("retry-after"));
  return { type: "failed", code, message, afterMs: afterMs && Math.min(afterMs, RETRY_AFTER_MS_MAX) };
}

function partialSuccessOf(text: string): { readonly rejected: number; readonly message: string } {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      readonly partialSuccess?: { readonly rejectedSpans?: string | number; readonly errorMessage?: string };
    };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return { rejected: Number.isFinite(rejected) ? rejected : 0, message: partialSuccess?.errorMessage ?? "" };
  } catch {
    // An empty body, or one of a server that answers with something of its own: the code counts.
    return { rejected: 0, message: "" };
  }
}

async function textOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString();
}
