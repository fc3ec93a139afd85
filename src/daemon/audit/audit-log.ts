/** The audit log for programs that have a gate of their own: the daemon's, with a lock on its directory. */
import { mkdirSync } from "node:fs";
import { LecternError } from "../../core/errors.ts";
import type { AuditRow, ChainHead, ChainVerification } from "../../core/gate/audit-chain.ts";
import type { AuditedCall } from "../../core/gate/audit-fold.ts";
import type { AuditSink } from "../../core/gate/audited-gate.ts";
import { takeSqliteLock, takeWriterLock, type WriterLock } from "../../journal/writer-lock.ts";
import { AuditStore } from "./audit-store.ts";

/** How `AuditLog.open` opens a log. */
export interface AuditLogOptions {
  /** `refuse` (the default) verifies the whole log first. `append` opens it at once, and new rows follow those that are there. */
  readonly ifDamaged?: "refuse" | "append" | undefined;
  /** A file that has so many bytes takes no further rows; another one is begun. Default 64 MiB. */
  readonly segmentBytesMax?: number | undefined;
}

/**
 * An audit log in a directory, for an `AuditedGate`: a chain of rows in append-only files, each row on the disk (`fdatasync`) before
 * `append` resolves. A log that is there is continued. Only one process has it open. `close` it, or hold it by `await using`.
 *
 * Every method rejects with `JOURNAL_WRITE_FAILED` if the log cannot be used, and then nothing that the rows announce may happen.
 *
 * @example
 * ```ts
 * await using log = await AuditLog.open("/var/lib/my-agent/audit");
 * const audited = new AuditedGate({ gate, sink: log, executor: "my-agent", policyHash: null, outcomeOf: () => "see the log" });
 * ```
 */
export class AuditLog implements AuditSink, AsyncDisposable {
  readonly #store: AuditStore;
  readonly #lock: WriterLock;

  private constructor(store: AuditStore, lock: WriterLock) {
    this.#store = store;
    this.#lock = lock;
  }

  /**
   * Opens the log in this directory, which is created if it does not exist.
   *
   * @throws LecternError `CONFLICT` if a process has it open, `JOURNAL_CORRUPT` if a row was changed, removed or inserted,
   * `JOURNAL_WRITE_FAILED` if it cannot be written
   */
  static async open(directory: string, options: AuditLogOptions = {}): Promise<AuditLog> {
    const lock = lockOf(directory);
    let store: AuditStore | undefined;
    try {
      store = await AuditStore.open(directory, options);
      if (options.ifDamaged !== "append") await refuseDamaged(store, directory);
      return new AuditLog(store, lock);
    } catch (error) {
      await store?.close();
      lock.release();
      throw error instanceof LecternError ? error : unwritable(directory, error);
    }
  }

  append(rows: readonly AuditRow[]): Promise<void> {
    return this.#store.append(rows);
  }

  find(session: string, call: string): Promise<AuditedCall | undefined> {
    return this.#store.find(session, call);
  }

  /** Calls that wait for an answer, are approved, or were started and have no outcome: at most `callsMax`, the oldest first. */
  openCalls(callsMax: number): Promise<readonly AuditedCall[]> {
    return this.#store.openCalls(callsMax);
  }

  /**
   * Reads all files: whether the chain is intact, or the first row that is not. With a `head` that was kept elsewhere, a chain that does not
   * end in it is not intact: this shows that a log was written anew.
   */
  async verify(head?: ChainHead): Promise<ChainVerification> {
    return (await this.#store.verify(head)).verification;
  }

  async close(): Promise<void> {
    try {
      await this.#store.close();
    } finally {
      this.#lock.release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function lockOf(directory: string): WriterLock {
  let lock: WriterLock | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    lock = takeWriterLock(directory, takeSqliteLock);
  } catch (error) {
    throw unwritable(directory, error);
  }
  if (lock !== undefined) return lock;
  const message = `Cannot open the audit log "${directory}": a process has it open; end that process, or use another directory`;
  throw new LecternError("CONFLICT", message);
}

async function refuseDamaged(store: AuditStore, directory: string): Promise<void> {
  const { verification } = await store.verify();
  if (verification.intact) return;
  const remedy =
    'keep a copy of the directory as evidence, then use another directory, or continue this one with { ifDamaged: "append" }';
  const { message, problem, sequence } = verification;
  throw new LecternError("JOURNAL_CORRUPT", `Cannot open the audit log "${directory}": ${message}; ${remedy}`, {
    details: { directory, problem, sequence },
  });
}

function unwritable(directory: string, cause: unknown): LecternError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new LecternError("JOURNAL_WRITE_FAILED", `Cannot open the audit log "${directory}": ${message}`, { cause });
}
