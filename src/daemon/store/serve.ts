/** The inner side of a `ServedThread`: opens its parts and calls their methods. */
import { parentPort } from "node:worker_threads";
import { errorMessage } from "../../core/errors.ts";

/** The parts of a thread by name: each function opens one, and each method of what it returns can be called, `close` as the last one. */
export type Openers = Readonly<Record<string, (options: never) => Closable>>;

interface Closable {
  close: () => unknown;
}

/** `call`: "open", which closes what is open, or a method of the part. */
export interface ThreadRequest {
  readonly id: number;
  readonly part: string;
  readonly call: string;
  readonly given: readonly unknown[];
}

/** `id` is that of the request. */
export interface ThreadAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** How long a method that is a generator goes on before requests to other parts have their turn. */
const TURN_MS_MAX = 2;

/**
 * Answers each request with what the method returns, resolves with, throws or rejects with. Methods of one part begin in the order of their
 * requests. One that takes long is a generator: where it yields, other parts may have their turn, and its own part waits until it has returned.
 */
export function serve(openers: Openers): void {
  const port = parentPort;
  if (port === null) throw new Error("Requests are served in a worker thread only");
  const answer = (given: ThreadAnswer): void => port.postMessage(given);
  const parts = new Map(Object.entries(openers).map(([name, open]) => [name, new ServedPart(open, answer)]));
  port.on("message", (request: ThreadRequest) => parts.get(request.part)?.take(request));
}

class ServedPart {
  readonly #open: Openers[string];
  readonly #answer: (answer: ThreadAnswer) => void;
  readonly #waiting: ThreadRequest[] = [];
  #opened: Closable | undefined;
  #isTaking = false;

  constructor(open: Openers[string], answer: (answer: ThreadAnswer) => void) {
    this.#open = open;
    this.#answer = answer;
  }

  take(request: ThreadRequest): void {
    this.#waiting.push(request);
    if (!this.#isTaking) this.#next();
  }

  #next(): void {
    this.#isTaking = false;
    for (let request = this.#waiting.shift(); request !== undefined; request = this.#waiting.shift()) {
      const { id } = request;
      try {
        const result = this.#call(request);
        if (result instanceof Iterator) {
          this.#isTaking = true;
          setImmediate(() => this.#turn(id, result));
          return;
        }
        if (result instanceof Promise) void result.then(...this.#settling(id));
        else this.#answer({ id, result });
      } catch (error) {
        this.#answer({ id, error: errorMessage(error) });
      }
    }
  }

  #call({ call, given }: ThreadRequest): unknown {
    const opened = this.#opened;
    if (call === "open" || call === "close") {
      this.#opened = undefined;
      const closed = opened?.close();
      if (call === "close") return closed;
      this.#opened = Reflect.apply(this.#open, undefined, given);
      return undefined;
    }
    if (opened === undefined) throw new Error("it is closed");
    return Reflect.apply(Reflect.get(opened, call), opened, given);
  }

  #turn(id: number, steps: Iterator<unknown>): void {
    const endMs = performance.now() + TURN_MS_MAX;
    try {
      let step = steps.next();
      while (step.done !== true && performance.now() < endMs) step = steps.next();
      if (step.done !== true) return void setImmediate(() => this.#turn(id, steps));
      this.#answer({ id, result: step.value });
    } catch (error) {
      this.#answer({ id, error: errorMessage(error) });
    }
    this.#next();
  }

  #settling(id: number): [(result: unknown) => void, (error: unknown) => void] {
    return [(result) => this.#answer({ id, result }), (error) => this.#answer({ id, error: errorMessage(error) })];
  }
}
