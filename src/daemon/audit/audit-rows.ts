/**
 * The audit log, in its thread: it waits for the disk, so that the daemon does not. Rows that come while one write is
 * on its way to the disk go together in the next, so many callers share one sync.
 */
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type AuditRow, type ChainedRow, type ChainHead, readAuditLine } from "../../core/gate/audit-chain.ts";
import type { AuditedCall } from "../../core/gate/audit-fold.ts";
import { maskedRow } from "../../core/gate/recorded-call.ts";
import { isSqliteDamage } from "../store/sqlite-errors.ts";
import { AuditFile } from "./audit-file.ts";
import { AuditIndex, type AuditRowPlace, type RowFilter } from "./audit-index.ts";
import type { KeptHead } from "./kept-heads.ts";
import { missingSegments, readSegment, segmentsIn } from "./audit-segments.ts";
import { type LogPart, type LogVerification, verifyLog } from "./verify-log.ts";

export interface AuditSettings {
  readonly directory: string;
  readonly segmentBytesMax: number | undefined;
}

/** Rows from a place on, or the last ones where `from` is undefined. */
export interface AuditQuery extends RowFilter {
  readonly session: string | undefined;
  readonly from: number | undefined;
  readonly limit: number;
}

/** `next`: where a reader goes on. `end`: of the log. Rows whose line was changed are left out. */
export interface AuditRowsPage {
  readonly rows: readonly ChainedRow[];
  readonly next: number;
  readonly end: number;
}

/** Handled in the order in which they are asked, verifications beside: what was asked after an append sees it. */
export class AuditRows {
  readonly #directory: string;
  readonly #file: AuditFile;
  readonly #indexPath: string;
  #index: AuditIndex;
  /** Appends of this turn of the loop. */
  #waiting: {
    readonly rows: readonly AuditRow[];
    readonly resolve: (head: ChainHead) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];

  constructor({ directory, segmentBytesMax }: AuditSettings) {
    this.#directory = directory;
    this.#file = new AuditFile(directory, { segmentBytesMax });
    this.#indexPath = join(directory, "index.db");
    this.#index = AuditIndex.open(this.#indexPath, this.#file);
  }

  append(rows: readonly AuditRow[]): Promise<ChainHead> {
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    const masked = rows.map(maskedRow);
    return new Promise((resolve, reject) => this.#waiting.push({ rows: masked, resolve, reject }));
  }

  find(session: string, call: string): AuditedCall | undefined {
    return this.#read((index) => index.find(session, call));
  }

  /** Calls that are undecided, approved or unfinished, the oldest first. */
  openCalls(limit: number): readonly AuditedCall[] {
    return this.#read((index) => index.openCalls(limit));
  }

  list({ from, limit, ...of }: AuditQuery): AuditRowsPage {
    const file = this.#file;
    return this.#read((index) => {
      const places = index.places(from, limit, of);
      const rows = places.flatMap(({ at, bytes }) => readAuditLine(file.read(at, bytes).toString("utf8")) ?? []);
      const isWhole = places.length === limit && from !== undefined;
      return { rows, next: isWhole ? after(places.at(-1)) : file.end, end: file.end };
    });
  }

  /** Against `head` where one was kept elsewhere, else against the one beside the log; and against those that sessions kept, in order. */
  verify(head: ChainHead | undefined, kept: readonly KeptHead[]): Promise<LogVerification> {
    this.#flush();
    const directory = this.#directory;
    // As they are on the disk now, not as this thread left them.
    const segments = segmentsIn(directory);
    const missing = missingSegments(segments, this.#file.lastOrdinal);
    const parts = segments.map(({ bytes, name }): LogPart => ({
      end: bytes,
      read: (at, wanted) => readSegment({ directory, name }, at, wanted),
    }));
    const { head: last, isHeadMissing } = this.#file;
    return verifyLog({ parts, missing, isHeadMissing }, { head: head ?? last, kept }, nextTurn);
  }

  close(): void {
    this.#flush();
    this.#index.close();
    this.#file.close();
  }

  /** One write and one sync for all that wait. */
  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    try {
      const placed = this.#file.append(batch.flatMap(({ rows }) => rows));
      this.#withIndex((index) => index.add(placed, this.#file));
      for (const { resolve } of batch) resolve(this.#file.head);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  #read<Result>(use: (index: AuditIndex) => Result): Result {
    this.#flush();
    return this.#withIndex(use);
  }

  /** An index that turns out to be damaged is made again from the log, once. */
  #withIndex<Result>(use: (index: AuditIndex) => Result): Result {
    try {
      return use(this.#index);
    } catch (error) {
      if (!isSqliteDamage(error)) throw error;
      this.#index.close();
      this.#index = AuditIndex.remake(this.#indexPath, this.#file);
      return use(this.#index);
    }
  }
}

const after = (place: AuditRowPlace | undefined): number => (place === undefined ? 0 : place.at + place.bytes + 1);
