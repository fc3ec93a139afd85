/** The daemon's side of the store: requests to the thread that owns the database. */
import { extname } from "node:path";
import type { Receipt } from "../../core/prompts/receipt.ts";
import { LecternError } from "../../core/errors.ts";
import { RequestThread } from "../request-thread.ts";
import type { StoreContents, StoredSession, StoredToken, StoreRequest } from "./schema.ts";

export class Store {
  readonly #thread: RequestThread<StoreRequest>;

  private constructor(thread: RequestThread<StoreRequest>) {
    this.#thread = thread;
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
      await thread.ready();
    } catch (cause) {
      const message = (cause as Error).message;
      if (/locked|busy/i.test(message)) {
        throw new LecternError("ALREADY_RUNNING", 'A daemon runs already: see "lectern info"', { cause });
      }
      throw new LecternError("INTERNAL", `Cannot open the registry "${databaseFile}": ${message}`, { cause });
    }
    return new Store(thread);
  }

  load(): Promise<StoreContents> {
    return this.#request({ type: "load" }) as Promise<StoreContents>;
  }

  async putSession(session: StoredSession): Promise<void> {
    await this.#request({ type: "put-session", session });
  }

  async removeSession(id: string): Promise<void> {
    await this.#request({ type: "remove-session", id });
  }

  async putToken(token: StoredToken): Promise<void> {
    await this.#request({ type: "put-token", token });
  }

  async removeToken(id: string): Promise<void> {
    await this.#request({ type: "remove-token", id });
  }

  async putReceipt(receipt: Receipt): Promise<void> {
    await this.#request({ type: "put-receipt", receipt });
  }

  async removeReceipts(session: string): Promise<void> {
    await this.#request({ type: "remove-receipts", session });
  }

  /** A number that no question of this data directory has had. */
  async nextQuestion(): Promise<number> {
    return (await this.#request({ type: "count", counter: "questions" })) as number;
  }

  async close(): Promise<void> {
    await this.#thread.close({ type: "close" });
  }

  #request(request: StoreRequest): Promise<unknown> {
    return this.#thread.request(request);
  }
}
