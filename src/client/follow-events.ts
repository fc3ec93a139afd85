/** Server-sent events of a session, resumed by `Last-Event-ID` where a connection breaks. */
import { LecternError } from "../core/errors.ts";
import type { RecordType } from "../protocol/records.ts";
import { addressOf } from "./address.ts";
import { SseReader } from "../core/sse/sse-reader.ts";
import { delay, isPassing, reconnectDelayMs } from "./reconnect.ts";
import { toSessionRecord, type SessionRecord } from "./session-record.ts";
import { cancelled, errorOf } from "./transport-errors.ts";
import type { Transport } from "./transport.ts";

export interface EventsOptions {
  /** Left out: only what comes from now on. */
  readonly from?: number | undefined;
  /** Only these. The events end with the session, also where `exit` is not among them. */
  readonly types?: readonly RecordType[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Longest pause between two tries. Default 30,000. */
  readonly reconnectMsMax?: number;
  /** After this many tries without an event the stream fails. Default 30, about ten minutes. */
  readonly attemptsMax?: number;
}

const RECONNECT_MS_MAX = 30_000;
const ATTEMPTS_MAX = 30;

interface Source {
  readonly transport: Transport;
  readonly session: string;
  readonly options: EventsOptions;
  /** Whether the session has ended and nothing follows `next`. */
  readonly isOver: (next: number | undefined) => Promise<boolean>;
}

/** Throws what trying again cannot cure, and `CANCELLED` where the signal is aborted. */
export async function* followEvents(source: Source): AsyncGenerator<SessionRecord, void, void> {
  const { options } = source;
  const signal = options.signal ?? new AbortController().signal;
  let lastId: string | undefined;
  let next: number | undefined;
  let attempt = 0;
  for (;;) {
    try {
      for await (const { id, record } of readOnce(source, lastId)) {
        attempt = 0;
        if (id !== "") lastId = id;
        next = record.next;
        yield record;
        if (record.type === "exit") return;
      }
      if (await source.isOver(next)) return;
    } catch (error) {
      if (!(error instanceof LecternError) || !isPassing(error)) throw error;
      if (attempt >= (options.attemptsMax ?? ATTEMPTS_MAX)) throw error;
    }
    await delay(reconnectDelayMs(attempt, options.reconnectMsMax ?? RECONNECT_MS_MAX, Math.random()), signal);
    if (signal.aborted) throw cancelled(signal.reason);
    attempt += 1;
  }
}

/** The records of one connection. */
async function* readOnce(
  source: Source,
  lastId: string | undefined,
): AsyncGenerator<{ readonly id: string; readonly record: SessionRecord }, void, void> {
  const { session, options } = source;
  const { method, path } = addressOf("sessions.events", { session, from: options.from, types: options.types });
  const headers = { accept: "text/event-stream", ...(lastId === undefined ? {} : { "last-event-id": lastId }) };
  const response = await source.transport.request({ method, path, headers, signal: options.signal });
  if (response.status !== 200) throw await errorOf(response);
  const reader = new SseReader();
  try {
    for await (const chunk of response.chunks) {
      for (const { id, data } of reader.feed(chunk)) {
        yield { id, record: toSessionRecord(JSON.parse(data) as Record<string, unknown>) };
      }
    }
  } finally {
    response.cancel();
  }
}
