/**
 * A thread that waits for the disk, so that the daemon does not. It has parts, such as databases, which are opened and closed on their own;
 * `serve.ts` is its inner side.
 */
import { Worker } from "node:worker_threads";
import { LecternError, type ErrorCode } from "../../core/errors.ts";
import { ownThread } from "../../pty/own-environment.ts";
import type { Openers, ThreadAnswer, ThreadRequest } from "./serve.ts";

type ResultOf<Returned> = Returned extends Generator<unknown, infer Result> ? Result : Awaited<Returned>;

/** The methods of a part, called from another thread: arguments and results are copied. Requests to one part are handled in order. */
export type Remote<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...given: infer Given) => infer Returned
    ? (...given: Given) => Promise<ResultOf<Returned>>
    : never;
};

type PartOf<Parts extends Openers, Name extends keyof Parts> = Remote<ReturnType<Parts[Name]>>;

/** How errors name a part: "the registry"; and their code. Default "INTERNAL". */
export interface PartErrors {
  readonly name: string;
  readonly errorCode?: ErrorCode;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: string) => void;
}

export class ServedThread<Parts extends Openers> implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  /** Why there will be no more answers. */
  #end: string | undefined;

  constructor(entry: URL) {
    this.#worker = new Worker(entry, ownThread());
    this.#worker.on("message", ({ id, result, error }: ThreadAnswer) => {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === undefined) pending?.resolve(result);
      else pending?.reject(error);
    });
    this.#worker.on("error", (cause: Error) => this.#fail(cause.message));
    this.#worker.on("exit", () => this.#fail("it is closed"));
  }

  /** Every part has `close`, after which it can be opened again; closing it once more, or after the thread has ended, does nothing. */
  async open<Name extends keyof Parts & string>(
    part: Name,
    options: Parameters<Parts[Name]>[0],
    errors: PartErrors,
  ): Promise<PartOf<Parts, Name>> {
    const call = (name: string, given: readonly unknown[]): Promise<unknown> =>
      this.#request({ part, call: name, given }, errors);
    await call("open", [options]);
    // Its type is what makes a call of each property; a promise that resolves with it asks for "then".
    return new Proxy({} as PartOf<Parts, Name>, {
      get: (_, name) =>
        typeof name === "symbol" || name === "then" ? undefined : (...given: unknown[]) => call(name, given),
    });
  }

  /** There will be no more answers. */
  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Ends the thread at once: what was asked and not answered is rejected. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= "it is closed";
    await this.#worker.terminate();
  }

  #request(request: Omit<ThreadRequest, "id">, { name, errorCode = "INTERNAL" }: PartErrors): Promise<unknown> {
    const unusable = (reason: string): LecternError => new LecternError(errorCode, `Cannot use ${name}: ${reason}`);
    if (this.#end !== undefined)
      return request.call === "close" ? Promise.resolve() : Promise.reject(unusable(this.#end));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject: (reason) => reject(unusable(reason)) });
      this.#worker.postMessage({ id, ...request } satisfies ThreadRequest);
    });
  }

  #fail(reason: string): void {
    this.#end ??= reason;
    for (const { reject } of this.#pending.values()) reject(this.#end);
    this.#pending.clear();
  }
}
