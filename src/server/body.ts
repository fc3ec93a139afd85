/** Reads request bodies within limits of size and time. */
import type { IncomingMessage } from "node:http";
import { LecternError } from "../core/errors.ts";
import { lateTimer } from "../timers/late-timer.ts";
import { RequestProblem } from "./reply.ts";

/** A whole small body. Throws `TOO_LARGE`, 408 after `deadlineMs`, and `CANCELLED` where the client went away. */
export async function readBody(
  incoming: IncomingMessage,
  limits: { readonly bytesMax: number; readonly deadlineMs: number },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const deadline = performance.now() + limits.deadlineMs;
  const waitMs = (): number => Math.max(1, deadline - performance.now());
  for await (const chunk of chunksOf(incoming, limits.bytesMax, waitMs)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A large body as it comes; only its pauses are limited in time. Throws as `readBody` does. */
export const streamBody = (
  incoming: IncomingMessage,
  limits: { readonly bytesMax: number; readonly idleMs: number },
): AsyncIterable<Uint8Array> => chunksOf(incoming, limits.bytesMax, () => limits.idleMs);

async function* chunksOf(
  incoming: IncomingMessage,
  bytesMax: number,
  waitMs: () => number,
): AsyncGenerator<Uint8Array, void> {
  if (Number(incoming.headers["content-length"] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  let length = 0;
  while (true) {
    const chunk = await nextChunk(incoming, waitMs());
    if (chunk === undefined) return;
    length += chunk.length;
    if (length > bytesMax) throw tooLarge(bytesMax);
    yield chunk;
  }
}

/** Paused mode: nothing is read from the connection before somebody asks, and the connection stays usable for the answer. */
function nextChunk(incoming: IncomingMessage, waitMs: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (action: () => void): void => {
      clearTimeout(timer);
      incoming.off("readable", look).off("end", look).off("close", gone).off("error", gone);
      action();
    };
    const look = (): void => {
      const chunk: unknown = incoming.read();
      if (chunk instanceof Uint8Array) settle(() => resolve(chunk));
      else if (incoming.readableEnded) settle(() => resolve(undefined));
    };
    const gone = (): void => {
      settle(() => reject(new LecternError("CANCELLED", "Cannot read the body: the client went away")));
    };
    const timer = lateTimer(() => settle(() => reject(tooSlow())), waitMs);
    incoming.on("readable", look).on("end", look).on("close", gone).on("error", gone);
    if (incoming.destroyed && !incoming.readableEnded) gone();
    else look();
  });
}

const tooLarge = (bytesMax: number): LecternError =>
  new LecternError("TOO_LARGE", `Cannot accept the body: it is larger than ${bytesMax} bytes`, {
    details: { bytesMax },
  });

const tooSlow = (): LecternError =>
  new RequestProblem("LIMIT_EXCEEDED", "Timed out waiting for the body of the request", { status: 408 });
