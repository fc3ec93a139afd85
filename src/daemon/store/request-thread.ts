/** Requests to a thread that waits for the disk, so that the daemon does not: `serve-requests.ts` is the other side. */
import { Worker } from "node:worker_threads";
import { LecternError, type ErrorCode } from "../../core/errors.ts";
import { ownEnvironment } from "../../pty/own-environment.ts";

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

export interface RequestThreadOptions {
  readonly entry: URL;
  readonly workerData: Readonly<Record<string, unknown>>;
  /** Of what the thread owns, for messages: "the registry". */
  readonly name: string;
  /** What a request rejects with. */
  readonly errorCode?: ErrorCode;
}

export class RequestThread<Request extends { readonly type: string }> {
  readonly #worker: Worker;
  readonly #unusable: (cause: string) => LecternError;
  readonly #pending = new Map<number, Pending>();
  readonly #ready: Promise<unknown>;
  #nextId = 1;
  /** Why there will be no more answers. */
  #end: Error | undefined;

  constructor({ entry, workerData, name, errorCode = "INTERNAL" }: RequestThreadOptions) {
    this.#unusable = (cause) => new LecternError(errorCode, `Cannot use ${name}: ${cause}`);
    this.#ready = new Promise((resolve, reject) => this.#pending.set(0, { resolve, reject }));
    // Who does not wait for it hears of the failure with the first request.
    this.#ready.catch(() => {});
    this.#worker = new Worker(entry, { workerData, env: ownEnvironment() });
    this.#worker.on("message", ({ id, result, error }: ThreadAnswer) => {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === undefined) pending?.resolve(result);
      else pending?.reject(this.#unusable(error));
    });
    this.#worker.on("error", (cause: Error) => this.#fail(cause));
    this.#worker.on("exit", () => this.#fail(this.#unusable("it is closed")));
  }

  /** Resolves when the thread answers, with what it reported about its start; rejects with what the thread threw. */
  ready(): Promise<unknown> {
    return this.#ready;
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

  /** Closes what the thread owns, behind all that was asked, and ends the thread; once is enough. */
  async close(request: Request & { readonly type: "close" }): Promise<void> {
    try {
      if (!this.isEnded) await this.request(request);
    } finally {
      await this.terminate();
    }
  }

  /** Ends the thread at once: what was asked and not answered is rejected. */
  async terminate(): Promise<void> {
    this.#end ??= this.#unusable("it is closed");
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
