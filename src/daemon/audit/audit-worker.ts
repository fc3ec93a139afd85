/**
 * The thread that owns the audit log: it waits for the disk, so that the daemon does not. Rows that come while one write is
 * on its way to the disk go together in the next, so many callers share one sync.
 */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { type ChainHead, readAuditLine } from "../../core/gate/audit-chain.ts";
import { serveRequests } from "../store/serve-requests.ts";
import { isSqliteDamage } from "../store/sqlite-errors.ts";
import { AuditFile } from "./audit-file.ts";
import { AuditIndex, type AuditRowPlace } from "./audit-index.ts";
import type { AuditRowsPage, AuditSettings, AuditQuery, AuditRequest } from "./audit-requests.ts";
import type { KeptHead } from "./kept-heads.ts";
import { missingSegments, readSegment, segmentsIn } from "./audit-segments.ts";
import { type LogPart, type LogVerification, verifyLog } from "./verify-log.ts";

type Append = Extract<AuditRequest, { readonly type: "append" }>;

interface Waiting {
  readonly rows: Append["rows"];
  readonly resolve: (head: ChainHead) => void;
  readonly reject: (error: unknown) => void;
}

const { directory, segmentBytesMax } = workerData as AuditSettings;
const file = new AuditFile(directory, { segmentBytesMax });
const indexPath = join(directory, "index.db");
let index = AuditIndex.open(indexPath, file);
/** Appends of this turn of the loop. */
let waiting: Waiting[] = [];

/** One write and one sync for all that wait. */
function flush(): void {
  const batch = waiting;
  waiting = [];
  if (batch.length === 0) return;
  try {
    const placed = file.append(batch.flatMap(({ rows }) => rows));
    withIndex(() => index.add(placed, file));
    for (const { resolve } of batch) resolve(file.head);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

/** An index that turns out to be damaged is made again from the log, once. */
function withIndex<Result>(use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    if (!isSqliteDamage(error)) throw error;
    index.close();
    index = AuditIndex.remake(indexPath, file);
    return use();
  }
}

function list(query: AuditQuery): AuditRowsPage {
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

const behind = (place: AuditRowPlace | undefined): number => (place === undefined ? 0 : place.at + place.bytes + 1);

function append({ rows }: Append): Promise<ChainHead> {
  if (waiting.length === 0) setImmediate(flush);
  return new Promise((resolve, reject) => waiting.push({ rows, resolve, reject }));
}

function verify(head: ChainHead | undefined, kept: readonly KeptHead[]): Promise<LogVerification> {
  // As they are on the disk now, not as this thread left them.
  const segments = segmentsIn(directory);
  const missing = missingSegments(segments, file.lastOrdinal);
  const parts = segments.map(({ bytes, name }) => partOf(name, bytes));
  return verifyLog({ parts, missing, isHeadMissing: file.isHeadMissing }, { head: head ?? file.head, kept }, nextTurn);
}

function close(): null {
  index.close();
  file.close();
  return null;
}

serveRequests((request: AuditRequest) => {
  if (request.type === "append") return append(request);
  // What was asked after an append sees it.
  flush();
  switch (request.type) {
    case "find":
      return withIndex(() => index.find(request.session, request.call));
    case "open":
      return withIndex(() => index.openCalls(request.limit));
    case "list":
      return withIndex(() => list(request));
    case "verify":
      return verify(request.head, request.kept);
    case "close":
      return close();
  }
});
