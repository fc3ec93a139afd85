/** The audit log as the daemon uses it, in a thread of its own. */
import { mkdirSync, readdirSync } from "node:fs";
import { extname } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { chainStart, type AuditRow, type ChainHead } from "../../core/gate/audit-chain.ts";
import type { AuditedCall } from "../../core/gate/audit-fold.ts";
import type { AuditSink } from "../../core/gate/audited-gate.ts";
import { ServedThread, type Remote } from "../store/served-thread.ts";
import { reasonOf } from "../store/sqlite-errors.ts";
import { Waiters } from "../async/waiters.ts";
import type { AuditQuery, AuditRows, AuditRowsPage } from "./audit-rows.ts";
import type { AuditParts } from "./audit-worker.ts";
import type { AuditFileOptions } from "./audit-file.ts";
import type { KeptHead } from "./kept-heads.ts";
import { verifyLog, type LogVerification } from "./verify-log.ts";

/** Rows in one `append`; more is a programmer's mistake. */
const APPEND_ROWS_MAX = 1000;

interface OpenedLog {
  readonly rows: Remote<AuditRows>;
  /** Of the log alone; it ends when it is disposed. */
  readonly thread: AsyncDisposable;
}

/** Append-only, hash-chained rows on disk. */
export class AuditStore implements AuditSink, AsyncDisposable {
  readonly #directory: string;
  readonly #fileOptions: AuditFileOptions;
  /** What every request rejects with, for a log that could not be opened. Undefined before the first row of a log that is not there. */
  #opened: Promise<OpenedLog> | LecternError | undefined;
  readonly #waiters = new Waiters();
  #head: ChainHead | undefined;
  /** Called after each append. */
  onAppend: ((rows: readonly AuditRow[], head: ChainHead) => void) | undefined;

  private constructor(directory: string, options: AuditFileOptions = {}) {
    this.#directory = directory;
    this.#fileOptions = options;
  }

  /**
   * Opens the log; where that fails, every request of the returned store rejects, so that no call passes without its row. One that is not
   * there yet is begun by the first row, and by no reader: most daemons have no gate, and need no thread for it.
   */
  static async openOrRefuse(
    directory: string,
  ): Promise<{ readonly audit: AuditStore; readonly problem: string | null }> {
    const audit = new AuditStore(directory);
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      if (readdirSync(directory).length > 0) await audit.#openedLog();
      return { audit, problem: null };
    } catch (cause) {
      const problem = `Cannot open the audit log "${directory}": ${reasonOf(cause)}`;
      audit.#opened = new LecternError("JOURNAL_WRITE_FAILED", problem, { cause });
      return { audit, problem };
    }
  }

  /** Opens the log in this directory, which is made where it is not there. Throws `JOURNAL_WRITE_FAILED`. */
  static async open(directory: string, options: AuditFileOptions = {}): Promise<AuditStore> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const audit = new AuditStore(directory, options);
    await audit.#openedLog();
    return audit;
  }

  async append(rows: readonly AuditRow[]): Promise<void> {
    if (rows.length > APPEND_ROWS_MAX)
      throw new RangeError(`${rows.length} rows at once, the limit is ${APPEND_ROWS_MAX}`);
    if (rows.length === 0) return;
    const head = await (await this.#openedLog()).rows.append(rows);
    this.#head = head;
    this.onAppend?.(rows, head);
    this.#waiters.wake();
  }

  /** After the last append of this process; undefined before the first. */
  get head(): ChainHead | undefined {
    return this.#head;
  }

  async find(session: string, call: string): Promise<AuditedCall | undefined> {
    return this.#opened === undefined ? undefined : await (await this.#openedLog()).rows.find(session, call);
  }

  /** Calls that are undecided, approved or unfinished, the oldest first. */
  async openCalls(limit: number): Promise<readonly AuditedCall[]> {
    return this.#opened === undefined ? [] : await (await this.#openedLog()).rows.openCalls(limit);
  }

  async list(query: AuditQuery): Promise<AuditRowsPage> {
    return this.#opened === undefined ? nothing : await (await this.#openedLog()).rows.list(query);
  }

  /** Against `head` where one was kept elsewhere, else against the one beside the log; and against those that sessions kept, in order. */
  async verify(head?: ChainHead, kept: readonly KeptHead[] = []): Promise<LogVerification> {
    if (this.#opened === undefined)
      return await verifyLog({ parts: [] }, { head: head ?? chainStart, kept }, () => Promise.resolve());
    return await (await this.#openedLog()).rows.verify(head, kept);
  }

  /** Resolves with true at the next append, with false when `signal` is aborted. */
  changed(signal: AbortSignal): Promise<boolean> {
    return this.#waiters.next(signal);
  }

  async close(): Promise<void> {
    const opened = this.#opened instanceof LecternError ? undefined : await this.#opened?.catch(() => undefined);
    this.#opened ??= new LecternError("JOURNAL_WRITE_FAILED", "Cannot use the audit log: it is closed");
    try {
      await opened?.rows.close();
    } finally {
      await opened?.thread[Symbol.asyncDispose]();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A log that is not there and cannot be begun now may be begun by the next request. */
  #openedLog(): Promise<OpenedLog> {
    if (this.#opened instanceof LecternError) return Promise.reject(this.#opened);
    this.#opened ??= openLog(this.#directory, this.#fileOptions).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }
}

const nothing: AuditRowsPage = { rows: [], next: 0, end: 0 };

async function openLog(directory: string, { segmentBytesMax }: AuditFileOptions): Promise<OpenedLog> {
  const thread = new ServedThread<AuditParts>(new URL(`./audit-worker${extname(import.meta.url)}`, import.meta.url));
  try {
    const errors = { name: "the audit log", errorCode: "JOURNAL_WRITE_FAILED" } as const;
    return { thread, rows: await thread.open("log", { directory, segmentBytesMax }, errors) };
  } catch (error) {
    await thread[Symbol.asyncDispose]();
    throw error;
  }
}
