/** The audit log as the daemon uses it, in a thread of its own. */
import { mkdirSync } from "node:fs";
import { extname } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { AuditRow, ChainHead } from "../../core/gate/audit-chain.ts";
import type { AuditedCall } from "../../core/gate/audit-fold.ts";
import type { AuditSink } from "../../core/gate/audited-gate.ts";
import { ServedThread, type Remote } from "../store/served-thread.ts";
import { reasonOf } from "../store/sqlite-errors.ts";
import { Waiters } from "../async/waiters.ts";
import type { AuditQuery, AuditRows, AuditRowsPage } from "./audit-rows.ts";
import type { AuditParts } from "./audit-worker.ts";
import type { AuditFileOptions } from "./audit-file.ts";
import type { KeptHead } from "./kept-heads.ts";
import type { LogVerification } from "./verify-log.ts";

/** Rows in one `append`; more is a programmer's mistake. */
const APPEND_ROWS_MAX = 1000;

/**
 * Append-only, hash-chained rows on disk.
 *
 * @example
 * ```ts
 * await using audit = await AuditStore.open("/data/audit");
 * await audit.append([row]); // durable
 * (await audit.verify()).verification.intact; // true
 * ```
 */
export class AuditStore implements AuditSink, AsyncDisposable {
  /** Ends the thread. */
  readonly #thread: AsyncDisposable | undefined;
  /** What every request rejects with, for a log that could not be opened. */
  readonly #opened: Remote<AuditRows> | LecternError;
  readonly #waiters = new Waiters();
  #head: ChainHead | undefined;
  /** Called after each append. */
  onAppend: ((rows: readonly AuditRow[], head: ChainHead) => void) | undefined;

  private constructor(opened: Remote<AuditRows> | LecternError, thread?: AsyncDisposable) {
    this.#opened = opened;
    this.#thread = thread;
  }

  /** Opens the log; where that fails, every request of the returned store rejects, so that no call passes without its row. */
  static async openOrRefuse(
    directory: string,
  ): Promise<{ readonly audit: AuditStore; readonly problem: string | null }> {
    try {
      return { audit: await AuditStore.open(directory), problem: null };
    } catch (cause) {
      const problem = `Cannot open the audit log "${directory}": ${reasonOf(cause)}`;
      return { audit: new AuditStore(new LecternError("JOURNAL_WRITE_FAILED", problem, { cause })), problem };
    }
  }

  /** Opens the log in this directory, which is made where it is not there. Throws `JOURNAL_WRITE_FAILED`. */
  static async open(directory: string, { segmentBytesMax }: AuditFileOptions = {}): Promise<AuditStore> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const entry = new URL(`./audit-worker${extname(import.meta.url)}`, import.meta.url);
    const thread = new ServedThread<AuditParts>(entry);
    try {
      const errors = { name: "the audit log", errorCode: "JOURNAL_WRITE_FAILED" } as const;
      return new AuditStore(await thread.open("log", { directory, segmentBytesMax }, errors), thread);
    } catch (error) {
      await thread[Symbol.asyncDispose]();
      throw error;
    }
  }

  async append(rows: readonly AuditRow[]): Promise<void> {
    if (rows.length > APPEND_ROWS_MAX)
      throw new RangeError(`${rows.length} rows at once, the limit is ${APPEND_ROWS_MAX}`);
    if (rows.length === 0) return;
    const head = await this.#log.append(rows);
    this.#head = head;
    this.onAppend?.(rows, head);
    this.#waiters.wake();
  }

  /** After the last append of this process; undefined before the first. */
  get head(): ChainHead | undefined {
    return this.#head;
  }

  async find(session: string, call: string): Promise<AuditedCall | undefined> {
    return await this.#log.find(session, call);
  }

  /** Calls that are undecided, approved or unfinished, the oldest first. */
  async openCalls(limit: number): Promise<readonly AuditedCall[]> {
    return await this.#log.openCalls(limit);
  }

  async list(query: AuditQuery): Promise<AuditRowsPage> {
    return await this.#log.list(query);
  }

  /** Against `head` where one was kept elsewhere, else against the one beside the log; and against those that sessions kept, in order. */
  async verify(head?: ChainHead, kept: readonly KeptHead[] = []): Promise<LogVerification> {
    return await this.#log.verify(head, kept);
  }

  /** Resolves with true at the next append, with false when `signal` is aborted. */
  changed(signal: AbortSignal): Promise<boolean> {
    return this.#waiters.next(signal);
  }

  async close(): Promise<void> {
    try {
      if (!(this.#opened instanceof LecternError)) await this.#opened.close();
    } finally {
      await this.#thread?.[Symbol.asyncDispose]();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #log(): Remote<AuditRows> {
    if (this.#opened instanceof LecternError) throw this.#opened;
    return this.#opened;
  }
}
