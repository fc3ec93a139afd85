/** A stream of items as server-sent events: `id:` is where to resume, `event:` the kind, `data:` the item as JSON. */
import type { ServerResponse } from "node:http";
import { waits } from "../core/waits.ts";
import type { ItemStream, StreamedItem } from "../daemon/service.ts";
import type { ServerLimits } from "./limits.ts";
import { Outlet } from "./outlet.ts";
import { securityHeaders } from "./reply.ts";

interface SendItemsOptions {
  readonly limits: Pick<ServerLimits, "heartbeatMs" | "stallMs">;
  readonly signal: AbortSignal;
}

/** Writes items until the stream ends, the reader is gone, or `signal` is aborted. */
export async function sendItems(
  outgoing: ServerResponse,
  { batches }: ItemStream<unknown>,
  { limits, signal }: SendItemsOptions,
): Promise<void> {
  outgoing.writeHead(200, { ...securityHeaders, "content-type": "text/event-stream" });
  const outlet = new Outlet(outgoing, limits.stallMs);
  const heartbeat = setInterval(() => void outlet.write(": alive\n\n"), limits.heartbeatMs);
  try {
    if (!(await outlet.write(`retry: ${waits.retryMs}\n\n`))) return;
    for await (const batch of batches) {
      if (signal.aborted || !(await outlet.write(encodeBatch(batch)))) break;
    }
  } finally {
    clearInterval(heartbeat);
    outgoing.end();
  }
}

/** Where to start: what an `EventSource` saw last counts more than the address it was made with. */
export function resumeFrom(lastEventId: unknown, from: unknown): unknown {
  return typeof lastEventId === "string" && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : from;
}

/** The items that the reader asked for; then, if others came after them, an `id:` alone, so that a reader resumes behind those too. */
function encodeBatch(batch: readonly StreamedItem<unknown>[]): string {
  const resumeAt = batch.at(-1)?.item === undefined ? batch.at(-1)?.resumeAt : undefined;
  const events = batch.filter(({ item }) => item !== undefined).map(encodeItem);
  return events.join("") + (resumeAt === undefined ? "" : `id: ${resumeAt}\n\n`);
}

/** JSON has no line breaks, so one `data:` line is enough. */
function encodeItem({ event, item, resumeAt }: StreamedItem<unknown>): string {
  const id = resumeAt === undefined ? "" : `id: ${resumeAt}\n`;
  return `${id}event: ${event}\ndata: ${JSON.stringify(item)}\n\n`;
}
