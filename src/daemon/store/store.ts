/** The daemon's side of the store: requests to the thread that owns the database. */
import { waits } from "../../core/waits.ts";
import { extname } from "node:path";
import type { Receipt } from "../../core/prompts/receipt.ts";
import { LecternError } from "../../core/errors.ts";
import { alreadyRunning } from "../daemon-file.ts";
import { RequestThread } from "./request-thread.ts";
import type { StoreContents, StoredLeader, StoredSession, StoredToken, StoreOpening, StoreRequest } from "./schema.ts";
import { isSqliteUnwritable, reasonOf } from "./sqlite-errors.ts";

export class Store {
  readonly #thread: RequestThread<StoreRequest>;
  readonly opening: StoreOpening;
  /**
   * Writes that the disk refused, the last for each row: a session goes on, and is removed, although nobody can write that down.
   * Never more than there are sessions, leaders and tokens, which have limits.
   */
  readonly #refused = new Map<string, StoreRequest>();
  #timer: NodeJS.Timeout | undefined;
  /** Called when writes begin to be refused, with the reason, and with null when all of them are written. */
  onRefused: ((reason: string | null) => void) | undefined;

  private constructor(thread: RequestThread<StoreRequest>, opening: StoreOpening) {
    this.#thread = thread;
    this.opening = opening;
  }

  /** Takes the lock of the data directory. Throws `ALREADY_RUNNING` where another daemon holds it. */
  static async open(databaseFile: string, lockFile: string): Promise<Store> {
    const entry = new URL(`./store-worker${extname(import.meta.url)}`, import.meta.url);
    const thread = new RequestThread<StoreRequest>({
      entry,
      workerData: { databaseFile, lockFile },
      name: "the registry",
    });
    try {
      // The thread's first answer is its opening.
      return new Store(thread, (await thread.ready()) as StoreOpening);
    } catch (cause) {
      const message = (cause as Error).message;
      if (/locked|busy/i.test(message)) throw alreadyRunning(cause);
      throw new LecternError("INTERNAL", `Cannot open the registry "${databaseFile}": ${message}`, { cause });
    }
  }

  load(): Promise<StoreContents> {
    return this.#request({ type: "load" }) as Promise<StoreContents>;
  }

  /** Resolves on a full disk too: the row is written when there is space. */
  async putSession(session: StoredSession): Promise<void> {
    await this.#writeOrRetry(`session ${session.id}`, { type: "put-session", session });
  }

  /** As `putSession`. */
  async removeSession(id: string): Promise<void> {
    await this.#writeOrRetry(`session ${id}`, { type: "remove-session", id });
  }

  /** As `putSession`. */
  async putLeader(leader: StoredLeader): Promise<void> {
    await this.#writeOrRetry(`leader ${leader.session}`, { type: "put-leader", leader });
  }

  /** Rows that the disk keeps are removed by the next daemon. */
  async removeLeaders(sessions: readonly string[]): Promise<void> {
    for (const session of sessions) this.#refused.delete(`leader ${session}`);
    await this.#request({ type: "remove-leaders", sessions }).catch((error: unknown) => {
      if (!isSqliteUnwritable(error)) throw error;
    });
  }

  async putToken(token: StoredToken): Promise<void> {
    await this.#request({ type: "put-token", token });
  }

  /** Resolves with false where the disk refuses it: it is tried again, but a daemon that starts before knows the token. */
  async removeToken(id: string): Promise<boolean> {
    return await this.#writeOrRetry(`token ${id}`, { type: "remove-token", id });
  }

  /** Rejects where the disk refuses it: a prompt that nobody could remember might be typed twice. */
  async putReceipt(receipt: Receipt): Promise<void> {
    await this.#request({ type: "put-receipt", receipt });
  }

  /** As `putSession`. */
  async removeReceipts(session: string): Promise<void> {
    await this.#writeOrRetry(`receipts ${session}`, { type: "remove-receipts", session });
  }

  /** A number that no question of this data directory has had. `above`: at least as many were asked, also if the database is an older one. */
  async nextQuestion(above: number): Promise<number> {
    return (await this.#request({ type: "count", counter: "questions", above })) as number;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    // The last chance of what was refused; what is lost by it is found again in the session directories.
    for (const request of this.#refused.values()) await this.#request(request).catch(() => undefined);
    await this.#thread.close({ type: "close" });
  }

  /** False where the disk refused: then it is tried again until it works. Answers come in the order of the requests. */
  async #writeOrRetry(row: string, request: StoreRequest): Promise<boolean> {
    try {
      await this.#request(request);
      this.#refused.delete(row);
      return true;
    } catch (error) {
      if (!isSqliteUnwritable(error)) throw error;
      if (this.#refused.size === 0) this.onRefused?.(reasonOf(error));
      this.#refused.set(row, request);
      this.#timer ??= setTimeout(() => void this.#retry(), waits.retryMs).unref();
      return false;
    }
  }

  async #retry(): Promise<void> {
    for (const [row, request] of this.#refused) {
      // A newer write of the row may have taken its place meanwhile.
      if (this.#refused.get(row) === request && !(await this.#writeOrRetry(row, request).catch(() => false))) break;
    }
    this.#timer = undefined;
    if (this.#refused.size === 0) this.onRefused?.(null);
    else this.#timer = setTimeout(() => void this.#retry(), waits.retryMs).unref();
  }

  #request(request: StoreRequest): Promise<unknown> {
    return this.#thread.request(request);
  }
}
