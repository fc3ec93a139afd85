/** The daemon's side of the audit log: requests to the thread that owns it. */
import { mkdirSync } from "node:fs";
import { extname } from "node:path";
import { LecternError } from "../../core/errors.ts";
import type { AuditRow, ChainHead } from "../../core/gate/audit-chain.ts";
import type { AuditedCall } from "../../core/gate/audit-fold.ts";
import type { AuditSink } from "../../core/gate/audited-gate.ts";
import { RequestThread } from "../store/request-thread.ts";
import { Waiters } from "../async/waiters.ts";
import type {
  AuditRowsPage,
  AuditSettings,
  AuditQuery,
  AuditRequest,
  AuditRequestName,
  AuditRequests,
} from "./audit-requests.ts";
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
  /** What every request rejects with, for a log that could not be opened. */
  readonly #thread: RequestThread<AuditRequest> | LecternError;
  readonly #waiters = new Waiters();
  #head: ChainHead | undefined;
  /** Called after each append. */
  onAppend: ((rows: readonly AuditRow[], head: ChainHead) => void) | undefined;

  private constructor(thread: RequestThread<AuditRequest> | LecternError) {
    this.#thread = thread;
  }

  /** Opens the log; where that fails, every request of the returned store rejects, so that no call passes without its row. */
  static async openOrRefuse(
    directory: string,
  ): Promise<{ readonly audit: AuditStore; readonly problem: string | null }> {
    try {
      return { audit: await AuditStore.open(directory), problem: null };
    } catch (cause) {
      const problem = `Cannot open the audit log "${directory}": ${(cause as Error).message}`;
      return { audit: new AuditStore(new LecternError("JOURNAL_WRITE_FAILED", problem, { cause })), problem };
    }
  }

  /** Opens the log in this directory, which is made where it is not there. Throws `JOURNAL_WRITE_FAILED`. */
  static async open(directory: string, { segmentBytesMax }: AuditFileOptions = {}): Promise<AuditStore> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const workerData: AuditSettings = { directory, segmentBytesMax };
    const entry = new URL(`./audit-worker${extname(import.meta.url)}`, import.meta.url);
    const thread = new RequestThread<AuditRequest>({
      entry,
      workerData: { ...workerData },
      name: "the audit log",
      errorCode: "JOURNAL_WRITE_FAILED",
    });
    await thread.ready();
    return new AuditStore(thread);
  }

  async append(rows: readonly AuditRow[]): Promise<void> {
    if (rows.length > APPEND_ROWS_MAX)
      throw new RangeError(`${rows.length} rows at once, the limit is ${APPEND_ROWS_MAX}`);
    if (rows.length === 0) return;
    const head = await this.#request("append", { rows });
    this.#head = head;
    this.onAppend?.(rows, head);
    this.#waiters.wake();
  }

  /** After the last append of this process; undefined before the first. */
  get head(): ChainHead | undefined {
    return this.#head;
  }

  find(session: string, call: string): Promise<AuditedCall | undefined> {
    return this.#request("find", { session, call });
  }

  /** Calls that are undecided, approved or unfinished, the oldest first. */
  openCalls(limit: number): Promise<readonly AuditedCall[]> {
    return this.#request("open", { limit });
  }

  list(query: AuditQuery): Promise<AuditRowsPage> {
    return this.#request("list", query);
  }

  /** Against `head` where one was kept elsewhere, else against the one beside the log; and against those that sessions kept, in order. */
  verify(head?: ChainHead, kept: readonly KeptHead[] = []): Promise<LogVerification> {
    return this.#request("verify", { head, kept });
  }

  /** Resolves with true at the next append, with false when `signal` is aborted. */
  changed(signal: AbortSignal): Promise<boolean> {
    return this.#waiters.next(signal);
  }

  async close(): Promise<void> {
    if (!(this.#thread instanceof LecternError)) await this.#thread.close({ type: "close" });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #request<Name extends AuditRequestName>(
    type: Name,
    request: AuditRequests[Name]["request"],
  ): Promise<AuditRequests[Name]["answer"]> {
    if (this.#thread instanceof LecternError) throw this.#thread;
    const answer = await this.#thread.request({ type, ...request } as AuditRequest);
    // The thread answers each name with its own answer.
    return answer as AuditRequests[Name]["answer"];
  }
}
