/** Streams of the daemon: server-sent events, resumed by `Last-Event-ID` after a broken connection, or frames of a WebSocket. */
import { LecternError } from "../core/errors.ts";
import { SseReader } from "../core/sse/sse-reader.ts";
import { waits } from "../core/waits.ts";
import type { InputOf, ItemsOperation } from "../protocol/operations.ts";
import { addressOf } from "./address.ts";
import { delay, isPassing, reconnectDelayMs } from "./reconnect.ts";
import { cancelled, errorOf } from "./transport-errors.ts";
import type { Transport } from "./transport.ts";

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest delay between two attempts to connect, in milliseconds. Default 30,000. */
  readonly reconnectMsMax?: number;
  /**
   * `socket`: over a WebSocket. A browser opens only six HTTP connections to one host for all of its tabs, and hundreds of WebSockets.
   * Not for `sessions.follow`. Default `events`.
   */
  readonly over?: "events" | "socket";
  /** After this many attempts without an event the stream fails. Default 30, about ten minutes. */
  readonly attemptsMax?: number;
  /** Called before each attempt to reconnect, for example to start a daemon that died. If it throws, the attempt has failed. */
  readonly beforeReconnect?: () => Promise<void>;
}

const ATTEMPTS_MAX = 30;
/** Unread frames; with more, the client reconnects at its offset. */
const WAITING_FRAMES_MAX = 10_000;
const FRAMES_PROTOCOL = "lectern.v1";

interface Source<Name extends ItemsOperation, Value> {
  readonly transport: Transport;
  readonly name: Name;
  readonly input: InputOf<Name>;
  readonly options: FollowOptions;
  readonly read: (data: Record<string, unknown>) => Value;
  /** The offset to resume at after a value; undefined if the stream cannot be resumed. */
  readonly placeOf?: (value: Value) => number | undefined;
  readonly isLast: (value: Value) => boolean;
  /** Whether the stream is complete after this value, the last one that arrived. */
  readonly isOver: (last: Value | undefined) => Promise<boolean>;
}

/** Throws errors that a retry cannot fix, and `CANCELLED` if the signal is aborted. */
export async function* followEvents<Name extends ItemsOperation, Value>(
  source: Source<Name, Value>,
): AsyncGenerator<Value, void, void> {
  const { options } = source;
  const signal = options.signal ?? new AbortController().signal;
  let lastId: string | undefined;
  let last: Value | undefined;
  let attempt = 0;
  for (let isFirst = true; ; isFirst = false) {
    try {
      if (!isFirst) await options.beforeReconnect?.();
      const connection = options.over === "socket" ? readFrames(source, lastId) : readOnce(source, lastId);
      for await (const { id, value } of connection) {
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
    await delay(reconnectDelayMs(attempt, options.reconnectMsMax ?? waits.reconnectMs, Math.random()), signal);
    if (signal.aborted) throw cancelled(signal.reason);
    attempt += 1;
  }
}

interface Received<Value> {
  /** The offset to resume at after it; empty if unknown. */
  readonly id: string;
  readonly value: Value;
}

/** The frames of one connection: each is a list of values. */
async function* readFrames<Name extends ItemsOperation, Value>(
  { transport, name, input, options, read, placeOf }: Source<Name, Value>,
  lastId: string | undefined,
): AsyncGenerator<Received<Value>, void, void> {
  const place = lastId === undefined ? {} : { from: Number(lastId) };
  const { path } = addressOf(name, { ...input, ...place });
  let frames: string[] = [];
  let isTooSlow = false;
  let closed: { readonly code: number; readonly reason: string } | undefined;
  let news = Promise.withResolvers<void>();
  const socket = await transport.openSocket({
    path,
    protocol: FRAMES_PROTOCOL,
    signal: options.signal,
    handlers: {
      onMessage: (data) => {
        if (typeof data === "string") frames.push(data);
        isTooSlow ||= frames.length > WAITING_FRAMES_MAX;
        news.resolve();
      },
      onClose: (end) => {
        closed = end;
        news.resolve();
      },
    },
  });
  const onAbort = (): void => news.resolve();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      const taken = frames;
      frames = [];
      for (const data of taken.flatMap(valuesIn)) {
        const value = read(data);
        yield { id: String(placeOf?.(value) ?? ""), value };
      }
      if (options.signal?.aborted === true) throw cancelled(options.signal.reason);
      if (isTooSlow) throw new LecternError("LIMIT_EXCEEDED", "Stopped reading: the reader is too slow");
      if (frames.length > 0) continue;
      if (closed !== undefined) return endOfFrames(closed);
      await news.promise;
      news = Promise.withResolvers();
    }
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    socket.close();
  }
}

/** Throws `MALFORMED`. */
function valuesIn(frame: string): Record<string, unknown>[] {
  try {
    const values: unknown = JSON.parse(frame);
    if (Array.isArray(values)) return values as Record<string, unknown>[];
  } catch {
    // The error below has all that is known.
  }
  throw new LecternError("MALFORMED", "Cannot read what the server sent: a frame is not a list in JSON");
}

/** Throws if the connection broke. */
function endOfFrames({ code, reason }: { readonly code: number; readonly reason: string }): void {
  if (code === 1000) return;
  throw new LecternError("DAEMON_UNREACHABLE", `The daemon closed the connection with code ${code}: ${reason}`);
}

/** The events of one connection. */
async function* readOnce<Name extends ItemsOperation, Value>(
  { transport, name, input, options, read }: Source<Name, Value>,
  lastId: string | undefined,
): AsyncGenerator<Received<Value>, void, void> {
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
