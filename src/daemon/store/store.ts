/** The registry as the daemon writes it: what a full disk refuses is tried again. */
import { LecternError } from "../../core/errors.ts";
import { waits } from "../../core/waits.ts";
import { alreadyRunning } from "../daemon-file.ts";
import type { DatabaseOpening } from "./database-part.ts";
import type { RegistryFiles, RegistryRows } from "./registry-rows.ts";
import type { StoredLeader } from "./schema.ts";
import type { Remote } from "./served-thread.ts";
import { isSqliteUnwritable, reasonOf } from "./sqlite-errors.ts";
import type { StoreThread } from "./store-thread.ts";
import type { StoredSession } from "./stored-session.ts";

type Write = () => Promise<void>;

export class Store {
  /** Other databases are opened in it. */
  readonly thread: StoreThread;
  /** Without a second attempt: writes reject if the disk refuses them. */
  readonly rows: Remote<RegistryRows>;
  readonly opening: DatabaseOpening;
  /**
   * Writes that the disk refused, the last for each row: a session goes on, and is removed, although nobody can write that down.
   * Never more than there are sessions, leaders and tokens, which have limits.
   */
  readonly #refused = new Map<string, Write>();
  #timer: NodeJS.Timeout | undefined;
  /** Called when writes begin to be refused, with the reason, and with null when all of them are written. */
  onRefused: ((reason: string | null) => void) | undefined;

  private constructor(thread: StoreThread, rows: Remote<RegistryRows>, opening: DatabaseOpening) {
    this.thread = thread;
    this.rows = rows;
    this.opening = opening;
  }

  /** Takes the lock of the data directory. Throws `ALREADY_RUNNING` where another daemon holds it. */
  static async open(thread: StoreThread, { databaseFile, lockFile }: RegistryFiles): Promise<Store> {
    try {
      const rows = await thread.open("registry", { databaseFile, lockFile }, { name: "the registry" });
      return new Store(thread, rows, await rows.opening());
    } catch (cause) {
      const reason = reasonOf(cause);
      if (/database is locked|busy/i.test(reason)) throw alreadyRunning(cause);
      throw new LecternError("INTERNAL", `Cannot open the registry "${databaseFile}": ${reason}`, { cause });
    }
  }

  /** Resolves on a full disk too: the row is written when there is space. */
  async putSession(session: StoredSession): Promise<void> {
    await this.#writeOrRetry(`session ${session.id}`, () => this.rows.putSession(session));
  }

  /** As `putSession`. */
  async removeSession(id: string): Promise<void> {
    await this.#writeOrRetry(`session ${id}`, () => this.rows.removeSession(id));
  }

  /** As `putSession`. */
  async putLeader(leader: StoredLeader): Promise<void> {
    await this.#writeOrRetry(`leader ${leader.session}`, () => this.rows.putLeader(leader));
  }

  /** Rows that the disk keeps are removed by the next daemon. */
  async removeLeaders(sessions: readonly string[]): Promise<void> {
    for (const session of sessions) this.#refused.delete(`leader ${session}`);
    await this.rows.removeLeaders(sessions).catch((error: unknown) => {
      if (!isSqliteUnwritable(error)) throw error;
    });
  }

  /** Resolves with false where the disk refuses it: it is tried again, but a daemon that starts before knows the token. */
  async removeToken(id: string): Promise<boolean> {
    return await this.#writeOrRetry(`token ${id}`, () => this.rows.removeToken(id));
  }

  /** As `putSession`. */
  async removeReceipts(session: string): Promise<void> {
    await this.#writeOrRetry(`receipts ${session}`, () => this.rows.removeReceipts(session));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    // The last chance of what was refused; what is lost by it is found again in the session directories.
    for (const write of this.#refused.values()) await write().catch(() => undefined);
    await this.rows.close();
  }

  /** False where the disk refused: then it is tried again until it works. Answers come in the order of the requests. */
  async #writeOrRetry(row: string, write: Write): Promise<boolean> {
    try {
      await write();
      this.#refused.delete(row);
      return true;
    } catch (error) {
      if (!isSqliteUnwritable(error)) throw error;
      if (this.#refused.size === 0) this.onRefused?.(reasonOf(error));
      this.#refused.set(row, write);
      this.#timer ??= setTimeout(() => void this.#retry(), waits.retryMs).unref();
      return false;
    }
  }

  async #retry(): Promise<void> {
    for (const [row, write] of this.#refused) {
      // A newer write of the row may have taken its place meanwhile.
      if (this.#refused.get(row) === write && !(await this.#writeOrRetry(row, write).catch(() => false))) break;
    }
    this.#timer = undefined;
    if (this.#refused.size === 0) this.onRefused?.(null);
    else this.#timer = setTimeout(() => void this.#retry(), waits.retryMs).unref();
  }
}
