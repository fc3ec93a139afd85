/** A session's records as server-sent events: `id:` is where to resume, `event:` the type, `data:` the record as JSON. */
import type { ServerResponse } from "node:http";
import { toServerMessage } from "../protocol/payloads.ts";
import type { RecordType } from "../protocol/records.ts";
import type { SessionCursor, StreamItem } from "../session/stream.ts";
import { Bell } from "./bell.ts";
import type { ServerLimits } from "./limits.ts";
import { Outlet } from "./outlet.ts";
import { securityHeaders } from "./reply.ts";

const RETRY_MS = 1000;

interface EventStreamOptions {
  readonly cursor: SessionCursor;
  /** Only these; all where it is undefined. */
  readonly types: readonly RecordType[] | undefined;
  readonly limits: Pick<ServerLimits, "heartbeatMs" | "stallMs">;
  readonly signal: AbortSignal;
}

/** Writes events until the session has ended, the reader is gone, or `signal` says so. */
export async function streamEvents(outgoing: ServerResponse, options: EventStreamOptions): Promise<void> {
  const { cursor, types, limits, signal } = options;
  outgoing.writeHead(200, { ...securityHeaders, "content-type": "text/event-stream" });
  const outlet = new Outlet(outgoing, limits.stallMs);
  const news = new Bell();
  cursor.onAdvance = () => news.ring();
  signal.addEventListener("abort", () => news.ring(), { once: true });
  let open = await outlet.write(`retry: ${RETRY_MS}\n\n`);
  while (open && !signal.aborted) {
    const items = await cursor.read();
    if (items.length > 0) open = await outlet.write(encodeItems(items, types));
    else if (cursor.done) break;
    else if (!(await news.wait(limits.heartbeatMs))) open = await outlet.write(": alive\n\n");
  }
  outgoing.end();
}

interface UpdateStreamOptions<Update> {
  readonly updates: AsyncIterable<readonly Update[]>;
  /** `undefined` for a stream that cannot be resumed. */
  readonly idOf: (update: Update) => number | undefined;
  readonly limits: Pick<ServerLimits, "heartbeatMs" | "stallMs">;
  readonly signal: AbortSignal;
}

/** Writes what comes until it ends, the reader is gone, or `signal` says so. `event:` is the kind. */
export async function streamUpdates<Update extends { readonly kind: string }>(
  outgoing: ServerResponse,
  { updates, idOf, limits, signal }: UpdateStreamOptions<Update>,
): Promise<void> {
  outgoing.writeHead(200, { ...securityHeaders, "content-type": "text/event-stream" });
  const outlet = new Outlet(outgoing, limits.stallMs);
  const heartbeat = setInterval(() => void outlet.write(": alive\n\n"), limits.heartbeatMs);
  try {
    if (!(await outlet.write(`retry: ${RETRY_MS}\n\n`))) return;
    for await (const batch of updates) {
      const text = batch.map((update) => encodeUpdate(update, idOf(update))).join("");
      if (signal.aborted || !(await outlet.write(text))) break;
    }
  } finally {
    clearInterval(heartbeat);
    outgoing.end();
  }
}

function encodeUpdate(update: { readonly kind: string }, id: number | undefined): string {
  const place = id === undefined ? "" : `id: ${id}\n`;
  return `${place}event: ${update.kind}\ndata: ${JSON.stringify(update)}\n\n`;
}

/** Where to start: what an `EventSource` saw last counts more than the address it was made with. */
export function resumeFrom(lastEventId: string | undefined, from: number | undefined): number | undefined {
  if (lastEventId === undefined || !/^\d{1,15}$/.test(lastEventId)) return from;
  return Number(lastEventId);
}

/** The records of the wanted types; then, where others came after them, an `id:` alone, so that a reader resumes behind those too. */
function encodeItems(items: readonly StreamItem[], types: readonly RecordType[] | undefined): string {
  let text = "";
  let resumeAt: number | undefined;
  for (const item of items) {
    const wanted = types === undefined || types.includes(item.record.type);
    if (wanted) text += encodeItem(item);
    resumeAt = wanted ? undefined : item.next;
  }
  return resumeAt === undefined ? text : `${text}id: ${resumeAt}\n\n`;
}

/** JSON has no line breaks, so one `data:` line is enough. */
function encodeItem({ record, next }: StreamItem): string {
  return `id: ${next}\nevent: ${record.type}\ndata: ${JSON.stringify(toJson(record, next))}\n\n`;
}

function toJson(record: StreamItem["record"], next: number): unknown {
  if (record.type !== "output") return toServerMessage(record);
  const { payload, offset, timeUs } = record;
  const data = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString("base64");
  return { type: "output", offset, next, timeUs, data };
}
