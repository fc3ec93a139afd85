/**
 * Items over a WebSocket instead of server-sent events: a browser opens six connections for requests to one host, over all of its tabs,
 * and hundreds of these. Each text frame is one batch, a JSON array; the client sends nothing.
 */
import type { WebSocket } from "ws";
import type { ItemStream } from "../daemon/service.ts";
import type { ServerLimits } from "./limits.ts";

/** Sends what comes until it ends or the client is gone. A client that takes nothing for `stallMs` is closed with 1013. */
export async function sendItemFrames(
  socket: WebSocket,
  { batches }: ItemStream<unknown>,
  limits: Pick<ServerLimits, "pingMs" | "stallMs">,
): Promise<void> {
  socket.on("error", () => socket.terminate());
  socket.on("message", () => socket.close(1003, "nothing is to be sent here"));
  using _pings = keepAlive(socket, limits.pingMs);
  for await (const batch of batches) {
    const items = batch.flatMap(({ item }) => (item === undefined ? [] : [item]));
    if (!(await send(socket, JSON.stringify(items), limits.stallMs))) return;
  }
  socket.close(1000, "no more updates");
}

/** Resolves when the frame has left the process; to false where the client is gone. */
async function send(socket: WebSocket, text: string, stallMs: number): Promise<boolean> {
  if (socket.readyState !== socket.OPEN) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    socket.close(1013, "too slow");
    resolve(false);
  }, stallMs);
  socket.send(text, (error) => resolve(error === undefined || error === null));
  const isSent = await promise;
  clearTimeout(timer);
  return isSent;
}

/** A peer that misses two pings is dead. */
export function keepAlive(socket: WebSocket, pingMs: number): Disposable {
  let unanswered = 0;
  socket.on("pong", () => {
    unanswered = 0;
  });
  // The server of this WebSocket leaves the answer to us.
  socket.on("ping", (data) => {
    if (socket.readyState === socket.OPEN) socket.pong(data);
  });
  const timer = setInterval(() => {
    if (unanswered >= 2) return socket.terminate();
    unanswered += 1;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
