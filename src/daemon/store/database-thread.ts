/** Requests to a thread that owns a database connection, answered in the order in which they are sent. */
import { Worker } from "node:worker_threads";
import { LecternError } from "../../core/errors.ts";

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What the thread says: `id` is that of the request; 0 is "ready", which nobody asked for. */
interface ThreadAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

export class DatabaseThread<Request extends { readonly type: string }> {
  readonly #worker: Worker;
  readonly #name: string;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  /** Why there will be no more answers. */
  #end: Error | undefined;

  /** `name` stands in messages: "the registry". */
  constructor(entry: URL, workerData: Readonly<Record<string, string>>, name: string) {
    this.#name = name;
    this.#worker = new Worker(entry, { workerData });
    this.#worker.on("message", ({ id, result, error }: ThreadAnswer) => {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === undefined) pending?.resolve(result);
      else pending?.reject(new LecternError("INTERNAL", `Cannot use ${name}: ${error}`));
    });
    this.#worker.on("error", (cause: Error) => this.#fail(cause));
    this.#worker.on("exit", () => this.#fail(closed(name)));
  }

  /** Resolves when the database is open; rejects with what the thread threw. */
  async ready(): Promise<void> {
    await new Promise((resolve, reject) => this.#pending.set(0, { resolve, reject }));
  }

  request(request: Request): Promise<unknown> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request });
    });
  }

  /** There will be no more answers. */
  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Closes the database behind all that was asked, and ends the thread; once is enough. */
  async close(request: Request & { readonly type: "close" }): Promise<void> {
    try {
      if (!this.isEnded) await this.request(request);
    } finally {
      await this.terminate();
    }
  }

  /** Ends the thread at once: what was asked and not answered is rejected. */
  async terminate(): Promise<void> {
    this.#end ??= closed(this.#name);
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

const closed = (name: string): LecternError => new LecternError("INTERNAL", `Cannot use ${name}: it is closed`);
