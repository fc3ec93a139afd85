/** The transport over TCP, with the `fetch` and `WebSocket` of the platform: browsers and Node. */
import { LecternError } from "../core/errors.ts";
import { cancelled, transportError, unreachable } from "./transport-errors.ts";
import type { SocketRequest, Transport, TransportRequest, TransportResponse, TransportSocket } from "./transport.ts";

/** A streamed body is collected first, because a browser cannot stream one over HTTP/1.1; a larger one is refused. */
const BODY_BYTES_MAX = 256 * 1024 * 1024;
/** RFC 6455: the connection broke without a closing handshake. */
const ABNORMAL_CLOSURE = 1006;

/** The address of the daemon, and the token that it asks for. */
export interface FetchTransportOptions {
  /** The address of the daemon, such as `http://127.0.0.1:7433`. */
  readonly url: string;
  /** Not needed in a browser that has the cookie. */
  readonly token?: string;
}

/** Reaches the daemon over TCP, with the `fetch` and the `WebSocket` of the platform: for browsers and Node. */
export function fetchTransport(options: FetchTransportOptions): Transport {
  const origin = new URL(options.url).origin;
  return {
    request: (given) => send(origin, options.token, given),
    openSocket: (given) => openSocket(origin, options.token, given),
  };
}

async function send(origin: string, token: string | undefined, given: TransportRequest): Promise<TransportResponse> {
  const body = typeof given.body === "object" ? await gather(given.body) : given.body;
  try {
    const response = await fetch(`${origin}${given.path}`, {
      method: given.method,
      headers: token === undefined ? given.headers : { ...given.headers, authorization: `Bearer ${token}` },
      credentials: "same-origin",
      redirect: "error",
      ...(body === undefined ? {} : { body }),
      ...(given.signal === undefined ? {} : { signal: given.signal }),
    });
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      chunks: readChunks(response, origin, given.signal),
      cancel: () => void response.body?.cancel().catch(() => undefined),
    };
  } catch (cause) {
    throw transportError(origin, cause, given.signal);
  }
}

async function* readChunks(
  response: Response,
  origin: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  // Not every browser can iterate a stream.
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw transportError(origin, cause, signal);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX)
      throw new LecternError("TOO_LARGE", `Cannot send a body of more than ${BODY_BYTES_MAX} bytes over TCP`);
    parts.push(chunk);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function openSocket(origin: string, token: string | undefined, given: SocketRequest): Promise<TransportSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TransportSocket>();
  if (given.signal?.aborted === true) throw cancelled(given.signal.reason);
  const protocols = token === undefined ? [given.protocol] : [given.protocol, `lectern.bearer.${token}`];
  const socket = new WebSocket(`${origin.replace(/^http/, "ws")}${given.path}`, protocols);
  socket.binaryType = "arraybuffer";
  const giveUp = (): void => {
    reject(cancelled(given.signal?.reason));
    socket.close();
  };
  given.signal?.addEventListener("abort", giveUp, { once: true });
  let opened = false;
  socket.addEventListener("open", () => {
    opened = true;
    resolve(socketOf(socket));
  });
  socket.addEventListener("message", (event) => {
    const data = event.data as string | ArrayBuffer;
    given.handlers.onMessage(typeof data === "string" ? data : new Uint8Array(data));
  });
  socket.addEventListener("close", ({ code, reason }) => {
    given.signal?.removeEventListener("abort", giveUp);
    // The platform hides why an upgrade was refused: a GET of the session has the error.
    if (opened) given.handlers.onClose({ code, reason });
    else reject(unreachable(origin, new Error(`The WebSocket closed with code ${code || ABNORMAL_CLOSURE}`)));
  });
  return promise;
}

function socketOf(socket: WebSocket): TransportSocket {
  return {
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    pausable: false,
    send: (data) => {
      // It is never shared memory, which browsers refuse.
      const owned = data as string | Uint8Array<ArrayBuffer>;
      socket.send(owned);
    },
    pause: () => undefined,
    resume: () => undefined,
    close: () => socket.close(1000),
  };
}
