/**
 * The thread that owns the audit log: it waits for the disk, so that the daemon does not. Rows that come while one write is
 * on its way to the disk go together in the next, so many callers share one sync.
 */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { readAuditLine } from "../../core/gate/audit-chain.ts";
import { AuditFile } from "./audit-file.ts";
import { AuditIndex, type RowPlace } from "./audit-index.ts";
import type { AuditPage, AuditSettings, AuditQuery, AuditRequest } from "./audit-requests.ts";
import { missingSegment, readSegment, segmentsIn } from "./audit-segments.ts";
import { type LogPart, verifyLog } from "./verify-log.ts";

interface Message {
  readonly id: number;
  readonly request: AuditRequest;
}

type Append = Message & { readonly request: { readonly type: "append" } };

const { directory, segmentBytesMax } = workerData as AuditSettings;
const file = new AuditFile(directory, { segmentBytesMax });
const index = AuditIndex.open(join(directory, "index.db"), file);
/** Appends of this turn of the loop. */
let waiting: Append[] = [];

function answer(id: number, result: unknown): void {
  parentPort?.postMessage({ id, result });
}

function fail(id: number, error: unknown): void {
  parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
}

/** One write and one sync for all that wait. */
function flush(): void {
  const batch = waiting;
  waiting = [];
  if (batch.length === 0) return;
  try {
    const placed = file.append(batch.flatMap(({ request }) => request.rows));
    index.add(placed, file);
    for (const { id } of batch) answer(id, file.head);
  } catch (error) {
    for (const { id } of batch) fail(id, error);
  }
}

function list(query: AuditQuery): AuditPage {
  const places =
    query.from === undefined
      ? index.lastPlaces(query.limit, query.session)
      : index.places(query.from, query.limit, query.session);
  const rows = places.flatMap(({ at, bytes }) => readAuditLine(file.read(at, bytes).toString("utf8")) ?? []);
  const isWhole = places.length === query.limit && query.from !== undefined;
  return { rows, next: isWhole ? behind(places.at(-1)) : file.end, end: file.end };
}

const partOf = (name: string, end: number): LogPart => ({
  end,
  read: (at, bytes) => readSegment({ directory, name }, at, bytes),
});

const behind = (place: RowPlace | undefined): number => (place === undefined ? 0 : place.at + place.bytes + 1);

async function handle(id: number, request: Exclude<AuditRequest, { readonly type: "append" }>): Promise<void> {
  switch (request.type) {
    case "find":
      return answer(id, index.find(request.session, request.call));
    case "open":
      return answer(id, index.openCalls(request.limit));
    case "list":
      return answer(id, list(request));
    case "verify": {
      const { head, lastOrdinal } = file;
      // As they are on the disk now, not as this thread left them.
      const segments = segmentsIn(directory);
      const missing = missingSegment(segments, lastOrdinal);
      const parts = segments.map(({ bytes, name }) => partOf(name, bytes));
      return answer(id, await verifyLog({ parts, missing }, request.head ?? head, nextTurn));
    }
    case "close":
      index.close();
      file.close();
      answer(id, null);
      parentPort?.close();
  }
}

parentPort?.on("message", ({ id, request }: Message) => {
  if (request.type === "append") {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push({ id, request });
    return;
  }
  // What was asked after an append sees it.
  flush();
  handle(id, request).catch((error: unknown) => fail(id, error));
});
answer(0, null);
