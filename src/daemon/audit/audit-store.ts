/** The daemon's side of the audit log: requests to the thread that owns it. */
import { mkdirSync } from "node:fs";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { LecternError } from "../../core/errors.ts";
import type { AuditRow, ChainHead } from "../../core/gate/audit-chain.ts";
import type { AuditedCall } from "../../core/gate/audit-fold.ts";
import type { AuditSink } from "../../core/gate/audited-gate.ts";
import { Waiters } from "../waiters.ts";
import type { AuditPage, AuditSettings, AuditQuery, AuditRequestName, AuditRequests } from "./audit-requests.ts";
import type { AuditFileOptions } from "./audit-file.ts";
import type { LogVerification } from "./verify-log.ts";

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

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
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #waiters = new Waiters();
  #nextId = 1;
  #failure: Error | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (message: { id: number; result?: unknown; error?: string }) => {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error === undefined) pending?.resolve(message.result);
      else pending?.reject(new LecternError("JOURNAL_WRITE_FAILED", `Cannot use the audit log: ${message.error}`));
    });
    worker.on("error", (cause: Error) => this.#fail(cause));
    worker.on("exit", () => this.#fail(new Error("its thread has ended")));
  }

  /** Opens the log in this directory, which is made where it is not there. Throws `JOURNAL_WRITE_FAILED`. */
  static async open(directory: string, { segmentBytesMax }: AuditFileOptions = {}): Promise<AuditStore> {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const workerData: AuditSettings = { directory, segmentBytesMax };
    const entry = new URL(`./audit-worker${extname(import.meta.url)}`, import.meta.url);
    const store = new AuditStore(new Worker(entry, { workerData }));
    // The thread says "ready" as the answer to request 0, which nobody sent.
    await new Promise((resolve, reject) => store.#pending.set(0, { resolve, reject }));
    return store;
  }

  async append(rows: readonly AuditRow[]): Promise<void> {
    if (rows.length > APPEND_ROWS_MAX)
      throw new RangeError(`${rows.length} rows at once, the limit is ${APPEND_ROWS_MAX}`);
    if (rows.length === 0) return;
    await this.#request("append", { rows });
    this.#waiters.wake();
  }

  find(session: string, call: string): Promise<AuditedCall | undefined> {
    return this.#request("find", { session, call });
  }

  /** Calls that are undecided, approved or unfinished, the oldest first. */
  openCalls(limit: number): Promise<readonly AuditedCall[]> {
    return this.#request("open", { limit });
  }

  list(query: AuditQuery): Promise<AuditPage> {
    return this.#request("list", query);
  }

  /** Against `head` where one was kept elsewhere; else against the one beside the log. */
  verify(head?: ChainHead): Promise<LogVerification> {
    return this.#request("verify", { head });
  }

  /** Resolves with true at the next append, with false when `signal` is aborted. */
  changed(signal: AbortSignal): Promise<boolean> {
    return this.#waiters.next(signal);
  }

  async close(): Promise<void> {
    if (this.#failure === undefined) await this.#request("close", { reason: "shutdown" });
    this.#failure ??= new Error("it is closed");
    await this.#worker.terminate();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #fail(cause: Error): void {
    this.#failure ??= cause;
    for (const { reject } of this.#pending.values()) reject(unusable(cause));
    this.#pending.clear();
  }

  #request<Name extends AuditRequestName>(
    type: Name,
    request: AuditRequests[Name]["request"],
  ): Promise<AuditRequests[Name]["answer"]> {
    if (this.#failure !== undefined) return Promise.reject(unusable(this.#failure));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      // The thread answers each name with its own answer.
      this.#pending.set(id, { resolve: resolve as Pending["resolve"], reject });
      this.#worker.postMessage({ id, request: { type, ...request } });
    });
  }
}

const unusable = (cause: Error): LecternError =>
  new LecternError("JOURNAL_WRITE_FAILED", `Cannot use the audit log: ${cause.message}`, { cause });
