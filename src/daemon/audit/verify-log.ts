/** Verifies an audit log of any length, a page of rows at a time. */
import { isUtf8 } from "node:buffer";
import { chainStart, verifyAuditLines, type ChainHead, type ChainVerification } from "../../core/gate/audit-chain.ts";
import { sha256 } from "./sha256.ts";

/** A log of `end` bytes. */
export interface LogReader {
  readonly end: number;
  read(at: number, bytes: number): Buffer;
}

export interface LogVerification {
  readonly verification: ChainVerification;
  /** Rows up to the one that is named, or all of them. */
  readonly rows: number;
}

/** Whole lines of the log, and where they stand in it. */
interface Page {
  readonly lines: readonly string[];
  readonly next: number;
}

const PAGE_BYTES = 1_048_576;
const lineFeed = 10;

/**
 * Finds the first row that was changed, removed or inserted; `wanted` is where the log should end. Between two pages it
 * yields by `breathe`, so that rows can be appended meanwhile.
 */
export async function verifyLog(
  log: LogReader,
  wanted: ChainHead,
  breathe: () => Promise<void>,
): Promise<LogVerification> {
  let from: ChainHead = chainStart;
  let rows = 0;
  let before: { readonly lines: readonly string[]; readonly from: ChainHead } = { lines: [], from };
  for (const { lines, next } of pagesOf(log, 0)) {
    const verification = verifyAuditLines(lines, { sha256, from });
    if (!verification.intact) {
      // Which row it is shows only beside its neighbours, and these may be in the pages before and behind.
      const [after] = pagesOf(log, next);
      const all = [...before.lines, ...lines, ...(after?.lines.slice(0, 2) ?? [])];
      return moved(verifyAuditLines(all, { sha256, from: before.from }), rows - before.lines.length);
    }
    rows += lines.length;
    before = { lines, from };
    from = verification.head;
    await breathe();
  }
  return moved(verifyAuditLines([], { sha256, from, head: wanted }), rows);
}

function moved(verification: ChainVerification, rows: number): LogVerification {
  if (verification.intact) return { verification, rows };
  const at = verification.at + rows;
  return { verification: { ...verification, at }, rows: at };
}

/** A line that is longer than a page ends the pages with itself, cut: it is no row. */
function* pagesOf(log: LogReader, from: number): Generator<Page> {
  for (let at = from; at < log.end;) {
    const bytes = log.read(at, Math.min(PAGE_BYTES, log.end - at));
    const end = bytes.lastIndexOf(lineFeed);
    if (end < 0) {
      yield { lines: [bytes.toString("latin1")], next: log.end };
      return;
    }
    const next = at + end + 1;
    yield { lines: linesOf(bytes.subarray(0, end)), next };
    at = next;
  }
}

function linesOf(bytes: Buffer): string[] {
  if (isUtf8(bytes)) return bytes.toString("utf8").split("\n");
  // Not as text with replacement characters: a row may hold these.
  return bytes.toString("latin1").split("\n").map(readable);
}

function readable(line: string): string {
  const bytes = Buffer.from(line, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : "";
}
