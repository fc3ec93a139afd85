/** The daemon's side of the store: requests to the thread that owns the database. */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { LecternError } from "../../core/errors.ts";
import type { StoreContents, StoredSession, StoredToken, StoreRequest } from "./schema.ts";

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Store {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (message: { id: number; result?: unknown; error?: string }) => {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error === undefined) pending?.resolve(message.result);
      else pending?.reject(new LecternError("INTERNAL", `Cannot write the registry: ${message.error}`));
    });
    worker.on("error", (cause: Error) => {
      for (const { reject } of this.#pending.values()) reject(cause);
      this.#pending.clear();
    });
  }

  /** Takes the lock of the data directory. Throws `ALREADY_RUNNING` where another daemon holds it. */
  static async open(databaseFile: string, lockFile: string): Promise<Store> {
    const entry = new URL(`./store-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(entry, { workerData: { databaseFile, lockFile } });
    const store = new Store(worker);
    try {
      // The thread says "ready" as the answer to request 0, which nobody sent.
      await new Promise((resolve, reject) => store.#pending.set(0, { resolve, reject }));
    } catch (cause) {
      const message = (cause as Error).message;
      if (/locked|busy/i.test(message)) {
        throw new LecternError("ALREADY_RUNNING", 'A daemon runs already: see "lectern info"', { cause });
      }
      throw new LecternError("INTERNAL", `Cannot open the registry "${databaseFile}": ${message}`, { cause });
    }
    return store;
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

  async close(): Promise<void> {
    await this.#request({ type: "close" });
    await this.#worker.terminate();
  }

  #request(request: StoreRequest): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }
}
