/** Server-sent events of the daemon, resumed by `Last-Event-ID` where a connection breaks. */
import { LecternError } from "../core/errors.ts";
import { SseReader } from "../core/sse/sse-reader.ts";
import type { InputOf } from "../protocol/operations.ts";
import { addressOf } from "./address.ts";
import { delay, isPassing, reconnectDelayMs } from "./reconnect.ts";
import { cancelled, errorOf } from "./transport-errors.ts";
import type { Transport } from "./transport.ts";

/** The operations whose answer is a stream of events. */
export type EventsName = "sessions.events" | "sessions.updates" | "daemon.updates";

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest pause between two tries. Default 30,000. */
  readonly reconnectMsMax?: number;
  /** After this many tries without an event the stream fails. Default 30, about ten minutes. */
  readonly attemptsMax?: number;
}

const RECONNECT_MS_MAX = 30_000;
const ATTEMPTS_MAX = 30;

interface Source<Name extends EventsName, Value> {
  readonly transport: Transport;
  readonly name: Name;
  readonly input: InputOf<Name>;
  readonly options: FollowOptions;
  readonly read: (data: Record<string, unknown>) => Value;
  /** Nothing follows this one. */
  readonly isLast: (value: Value) => boolean;
  /** Whether the stream is at its end after this value, the last that came. */
  readonly isOver: (last: Value | undefined) => Promise<boolean>;
}

/** Throws what trying again cannot cure, and `CANCELLED` where the signal is aborted. */
export async function* followEvents<Name extends EventsName, Value>(
  source: Source<Name, Value>,
): AsyncGenerator<Value, void, void> {
  const { options } = source;
  const signal = options.signal ?? new AbortController().signal;
  let lastId: string | undefined;
  let last: Value | undefined;
  let attempt = 0;
  for (;;) {
    try {
      for await (const { id, value } of readOnce(source, lastId)) {
        attempt = 0;
        if (id !== "") lastId = id;
        last = value;
        yield value;
        if (source.isLast(value)) return;
      }
      if (await source.isOver(last)) return;
    } catch (error) {
      if (!(error instanceof LecternError) || !isPassing(error)) throw error;
      if (attempt >= (options.attemptsMax ?? ATTEMPTS_MAX)) throw error;
    }
    await delay(reconnectDelayMs(attempt, options.reconnectMsMax ?? RECONNECT_MS_MAX, Math.random()), signal);
    if (signal.aborted) throw cancelled(signal.reason);
    attempt += 1;
  }
}

/** The events of one connection. */
async function* readOnce<Name extends EventsName, Value>(
  { transport, name, input, options, read }: Source<Name, Value>,
  lastId: string | undefined,
): AsyncGenerator<{ readonly id: string; readonly value: Value }, void, void> {
  const { method, path } = addressOf(name, input);
  const headers = { accept: "text/event-stream", ...(lastId === undefined ? {} : { "last-event-id": lastId }) };
  const response = await transport.request({ method, path, headers, signal: options.signal });
  if (response.status !== 200) throw await errorOf(response);
  const reader = new SseReader();
  try {
    for await (const chunk of response.chunks) {
      for (const { id, data } of reader.feed(chunk))
        yield { id, value: read(JSON.parse(data) as Record<string, unknown>) };
    }
  } finally {
    response.cancel();
  }
}
