/** Verifies an audit log of any length, a page of rows at a time. */
import { isUtf8 } from "node:buffer";
import {
  chainStart,
  readAuditLine,
  verifyAuditLines,
  type ChainHead,
  type ChainVerification,
} from "../../core/gate/audit-chain.ts";
import type { KeptHead } from "./kept-heads.ts";
import { sha256 } from "./sha256.ts";

/** One segment of `end` bytes. */
export interface LogPart {
  readonly end: number;
  read(at: number, bytes: number): Buffer;
}

export interface Log {
  /** In order. */
  readonly parts: readonly LogPart[];
  /** Names of the segments that are not there. */
  readonly missing?: readonly string[];
  readonly isHeadMissing?: boolean;
}

export interface LogVerification {
  readonly verification: ChainVerification;
  /** Rows up to the one that is named, or all of them. */
  readonly rows: number;
}

interface Place {
  readonly part: number;
  readonly at: number;
}

/** Whole lines of the log, and where those behind them stand. */
interface Page {
  readonly lines: readonly string[];
  readonly next: Place;
}

const PAGE_BYTES = 1_048_576;
/** Of more missing segments only the number is said. */
const MISSING_NAMED_MAX = 5;
const lineFeed = 10;

/** With what a log is compared. */
export interface Wanted {
  /** Where the log should end. */
  readonly head: ChainHead;
  /** In order of their sequence. Each is the head of a row, and all of them are rows of the log. */
  readonly kept?: readonly KeptHead[];
}

/**
 * Finds the first row that was changed, removed or inserted. Between two pages it yields by `breathe`, so that rows can be appended
 * meanwhile.
 */
export async function verifyLog(
  { isHeadMissing = false, missing = [], parts }: Log,
  { head: wanted, kept = [] }: Wanted,
  breathe: () => Promise<void>,
): Promise<LogVerification> {
  let from: ChainHead = chainStart;
  let rows = 0;
  let before: { readonly lines: readonly string[]; readonly from: ChainHead } = { lines: [], from };
  for (const { lines, next } of pagesFrom(parts, { part: 0, at: 0 })) {
    const verification = verifyAuditLines(lines, { sha256, from });
    if (!verification.intact) {
      // Which row it is shows only beside its neighbours, and these may be in the pages before and behind.
      const [after] = pagesFrom(parts, next);
      const all = [...before.lines, ...lines, ...(after?.lines.slice(0, 2) ?? [])];
      const found = verifyAuditLines(all, { sha256, from: before.from });
      return moved(found, { rows: rows - before.lines.length, missing });
    }
    const rewritten = rewrittenIn({ lines, from }, kept);
    if (rewritten !== undefined) return moved(rewritten, { rows, missing });
    rows += lines.length;
    before = { lines, from };
    from = verification.head;
    await breathe();
  }
  const atEnd = verifyAuditLines([], { sha256, from, head: wanted });
  const last = kept.at(-1);
  const isCut = atEnd.intact && last !== undefined && last.sequence > from.sequence;
  if (isCut) return moved(cutBefore(last, from.sequence + 1), { rows, missing });
  const hasEnd = !atEnd.intact || !isHeadMissing || rows === 0;
  return moved(hasEnd ? atEnd : headless(from.sequence + 1), { rows, missing });
}

function headless(sequence: number): ChainVerification {
  const message = `The file "head", which records how many rows there are, was removed: audit rows from ${sequence} on may be missing`;
  return { intact: false, problem: "removed", at: 0, sequence, message };
}

/** A chain that is intact and is not the one of which a session recorded a head. */
function rewrittenIn(
  { from, lines }: { readonly from: ChainHead; readonly lines: readonly string[] },
  kept: readonly KeptHead[],
): ChainVerification | undefined {
  for (const { hash, sequence, session } of kept) {
    const at = sequence - from.sequence - 1;
    const line = lines[at];
    if (line === undefined || readAuditLine(line)?.hash === hash) continue;
    const why = `session ${session} recorded another row in its place, so the log was written anew, up to there at least`;
    return {
      intact: false,
      problem: "changed",
      at,
      sequence,
      message: `The audit row ${sequence} was changed: ${why}`,
    };
  }
  return undefined;
}

function cutBefore({ sequence: last, session }: KeptHead, sequence: number): ChainVerification {
  const message = `The audit row ${sequence} was removed: session ${session} recorded that there were ${last} rows`;
  return { intact: false, problem: "removed", at: 0, sequence, message };
}

function moved(
  verification: ChainVerification,
  { missing, rows }: { readonly rows: number; readonly missing: readonly string[] },
): LogVerification {
  if (verification.intact) return { verification, rows };
  const at = verification.at + rows;
  return { verification: { ...verification, at, message: verification.message + missingText(missing) }, rows: at };
}

function missingText(missing: readonly string[]): string {
  const [first, ...others] = missing;
  if (first === undefined) return "";
  if (others.length === 0) return `; the file "${first}" is missing`;
  const named = missing.slice(0, MISSING_NAMED_MAX).map((name) => `"${name}"`);
  const unnamed = missing.length - named.length;
  return `; the files ${named.join(", ")}${unnamed === 0 ? "" : ` and ${unnamed} more`} are missing`;
}

function* pagesFrom(parts: readonly LogPart[], { at, part }: Place): Generator<Page> {
  for (let index = part; index < parts.length; index += 1) {
    const log = parts[index];
    if (log !== undefined) yield* pagesOf(log, { part: index, at: index === part ? at : 0 });
  }
}

/** A line that is longer than a page, or has no end, ends the pages of its segment with itself, cut: it is no row. */
function* pagesOf(log: LogPart, from: Place): Generator<Page> {
  const { part } = from;
  for (let { at } = from; at < log.end;) {
    const bytes = log.read(at, Math.min(PAGE_BYTES, log.end - at));
    const end = bytes.lastIndexOf(lineFeed);
    if (end < 0) {
      yield { lines: [bytes.toString("latin1")], next: { part, at: log.end } };
      return;
    }
    const next = at + end + 1;
    yield { lines: linesOf(bytes.subarray(0, end)), next: { part, at: next } };
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
