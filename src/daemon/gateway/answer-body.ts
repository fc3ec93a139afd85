/**
 * The body of a model server's answer. Its chunks go to one taker in the same step of the loop in which they came, without a promise
 * for each: a stream of small events costs little more than its bytes.
 */
import type { Readable } from "node:stream";
import { waits } from "../../core/waits.ts";

/** Undefined: more may come at once. Else nothing comes until it is resolved. */
type Taken = Promise<void> | undefined;
type TakeChunk = (chunk: Buffer) => Taken;

/** What is left of a body behind the end of its turn is read, so that the connection can be used again; but not for ever. */
const REST_BYTES_MAX = 65_536;

export class AnswerBody {
  readonly #body: Readable;
  readonly #ended = Promise.withResolvers<void>();
  readonly #begun = Promise.withResolvers<void>();
  /** Chunks that came before anybody took them: one, unless the stream had more ready. */
  #waiting: Buffer[] = [];
  #take: TakeChunk | undefined;
  #isPaused = false;

  constructor(body: Readable) {
    this.#body = body;
    // Whoever takes the chunks sees the error; until then it must not end the process.
    this.#ended.promise.catch(() => undefined);
    this.#begun.promise.catch(() => undefined);
    body.on("data", (chunk: Buffer) => this.#hand(chunk));
    body.on("end", () => this.#endIfTaken());
    body.on("error", (error) => this.#end(error));
    body.on("close", () => {
      if (!body.readableEnded) this.#end(new Error("the body was closed"));
    });
  }

  /** Resolves with the first chunk and at the end; rejects where the body breaks before either. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Gives each chunk to `take`. Resolves at the end, or after `enough`; rejects where the body breaks, and with what `take` throws. */
  each(take: TakeChunk): Promise<void> {
    this.#take = take;
    this.#resume();
    return this.#ended.promise;
  }

  /** Nothing more is taken: a short rest is read and forgotten, a long one breaks the connection off. */
  enough(): void {
    if (this.#body.closed) return this.#end();
    let bytes = 0;
    const timer = setTimeout(() => this.stop(), waits.partMs);
    this.#body.once("close", () => clearTimeout(timer));
    this.#waiting = [];
    this.#take = ({ length }) => {
      bytes += length;
      if (bytes > REST_BYTES_MAX) this.stop();
      return undefined;
    };
    this.#isPaused = false;
    this.#body.resume();
    this.#end();
  }

  /** Breaks it off: whoever takes its chunks gets `reason`. */
  stop(reason?: Error): void {
    this.#body.destroy(reason);
  }

  #hand(chunk: Buffer): void {
    this.#begun.resolve();
    if (this.#take === undefined || this.#isPaused) {
      this.#waiting.push(chunk);
      this.#body.pause();
      return;
    }
    try {
      const taken = this.#take(chunk);
      if (taken !== undefined) this.#pauseUntil(taken);
    } catch (error) {
      this.#break(error);
    }
  }

  #pauseUntil(taken: Promise<void>): void {
    this.#isPaused = true;
    this.#body.pause();
    taken.then(
      () => this.#resume(),
      (error: unknown) => this.#break(error),
    );
  }

  #resume(): void {
    this.#isPaused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const chunk of waiting) this.#hand(chunk);
    if (this.#isPaused) return;
    if (this.#body.readableEnded) this.#endIfTaken();
    else this.#body.resume();
  }

  /** The source has ended; chunks may still wait for their taker. */
  #endIfTaken(): void {
    if (this.#waiting.length === 0 && !this.#isPaused) this.#end();
  }

  #break(error: unknown): void {
    this.#end(error);
    this.stop();
  }

  /** The first word counts. */
  #end(error?: unknown): void {
    if (error === undefined) {
      this.#begun.resolve();
      this.#ended.resolve();
    } else {
      this.#begun.reject(error);
      this.#ended.reject(error);
    }
  }
}
