/** The transport over the unix socket of the daemon, for Node. The file mode of the socket is the access control. */
import type { ClientRequest, IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { waits } from "../core/waits.ts";
import { cancelled, problemError, readText, transportError, unreachable } from "./transport-errors.ts";
import type { SocketRequest, Transport, TransportRequest, TransportResponse, TransportSocket } from "./transport.ts";

/**
 * Not `import`: an import reads every export, which loads the `WebSocket` of the platform and takes three times as long as the rest
 * of a short command.
 */
const { request: httpRequest } = process.getBuiltinModule("node:http");
const { connect } = process.getBuiltinModule("node:net");

/** The server accepts this name on the unix socket and no other. */
const HOST = "lectern";
/** Larger frames are refused; the server sends at most about 64 KiB, a snapshot of the largest screen a few MiB. */
const FRAME_BYTES_MAX = 64 * 1024 * 1024;

/** Reaches the daemon over its unix socket, without a token: for Node. */
export const unixTransport = (socketPath: string): Transport => ({
  request: (given) => send(socketPath, given),
  openSocket: (given) => openSocket(socketPath, given),
});

/** Without one, Node asks whether the host is an address, and compiles an expression for that: 5 to 6 ms of each command. */
const noServerName = { servername: "" };

/** One connection for each request: on a kept one, a close by the daemon is indistinguishable from a lost response. */
function send(socketPath: string, given: TransportRequest): Promise<TransportResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
  const outgoing = httpRequest({
    socketPath,
    method: given.method,
    path: given.path,
    headers: { ...given.headers, host: HOST },
    agent: false,
    ...noServerName,
    ...(given.signal === undefined ? {} : { signal: given.signal }),
  });
  outgoing.on("response", (incoming) => resolve(responseOf(incoming, socketPath, given.signal)));
  outgoing.on("error", (cause) => reject(transportError(socketPath, cause, given.signal)));
  if (given.body === undefined || typeof given.body === "string") outgoing.end(given.body);
  else void sendChunks(outgoing, given.body);
  return promise;
}

/** An unreadable body destroys the request, and its error event rejects the call. */
async function sendChunks(outgoing: ClientRequest, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(chunk)) await drained(outgoing);
    }
    outgoing.end();
  } catch (error) {
    outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Resolves also when the request was closed: an early response (too large, not allowed) ends the upload. */
function drained(outgoing: ClientRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = (): void => {
    outgoing.off("drain", finish);
    outgoing.off("close", finish);
    resolve();
  };
  outgoing.on("drain", finish);
  outgoing.on("close", finish);
  return promise;
}

function responseOf(incoming: IncomingMessage, where: string, signal: AbortSignal | undefined): TransportResponse {
  return {
    status: incoming.statusCode ?? 0,
    header: (name) => {
      const value = incoming.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    chunks: withTypedErrors(incoming, where, signal),
    trailer: (name) => incoming.trailers[name],
    cancel: () => void incoming.destroy(),
  };
}

async function* withTypedErrors(
  incoming: IncomingMessage,
  where: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* incoming as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw transportError(where, cause, signal);
  }
}

async function openSocket(socketPath: string, given: SocketRequest): Promise<TransportSocket> {
  // Loaded here: commands that do not attach should not wait for it.
  const { WebSocket } = await import("ws");
  if (given.signal?.aborted === true) throw cancelled(given.signal.reason);
  // Not a URL with `ws+unix`, in which the path of the socket ends at its first colon.
  const socket = new WebSocket(`ws://${HOST}${given.path}`, given.protocol, {
    createConnection: () => connect(socketPath),
    headers: { ...given.headers, host: HOST },
    perMessageDeflate: false,
    handshakeTimeout: waits.arrivalMs,
    maxPayload: FRAME_BYTES_MAX,
  });
  const { promise, resolve, reject } = Promise.withResolvers<TransportSocket>();
  const giveUp = (): void => socket.terminate();
  given.signal?.addEventListener("abort", giveUp, { once: true });
  let opened = false;
  socket.on("open", () => {
    opened = true;
    resolve(socketOf(socket));
  });
  socket.on("message", (data: Buffer, isBinary) => given.handlers.onMessage(isBinary ? data : data.toString("utf8")));
  socket.on("unexpected-response", (_, incoming) => {
    void readText(incoming as AsyncIterable<Uint8Array>, FRAME_BYTES_MAX)
      .catch(() => "")
      .then((text) => reject(problemError(text, incoming.statusCode ?? 0)));
  });
  socket.on("error", (cause) => reject(transportError(socketPath, cause, given.signal)));
  socket.on("close", (code, reason) => {
    given.signal?.removeEventListener("abort", giveUp);
    if (opened) given.handlers.onClose({ code, reason: reason.toString("utf8") });
    else reject(unreachable(socketPath, undefined));
  });
  return promise;
}

function socketOf(socket: WebSocket): TransportSocket {
  return {
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    pausable: true,
    send: (data) => socket.send(data),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => {
      // A paused socket never reads the closing handshake.
      socket.resume();
      socket.close(1000);
    },
  };
}
