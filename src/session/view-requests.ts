/** Questions of a live view to its worker that are not answered yet; they survive the thread that they were sent to. */
import { isOfType, type AnswerTo, type FromWorker, type ToWorker } from "./view-messages.ts";

/** A question under the number that its answer will have. */
export type WorkerQuestion = (request: number) => ToWorker;

interface Pending {
  readonly question: WorkerQuestion;
  readonly resolve: (answer: FromWorker) => void;
  readonly reject: (error: unknown) => void;
}

export class ViewRequests {
  readonly #pending = new Map<number, Pending>();
  #next = 1;

  get size(): number {
    return this.#pending.size;
  }

  /** Resolves with the answer of this type; `post` is undefined where it is asked later, with all others. */
  async ask<Type extends FromWorker["type"]>(
    type: Type,
    question: WorkerQuestion,
    post: ((message: ToWorker) => void) | undefined,
  ): Promise<AnswerTo<Type>> {
    const request = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<FromWorker>();
    this.#pending.set(request, { question, resolve, reject });
    post?.(question(request));
    const answer = await promise;
    if (!isOfType(answer, type)) throw new TypeError(`The view worker answered "${answer.type}" to "${type}"`);
    return answer;
  }

  settle(request: number, answer: FromWorker): void {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    pending?.resolve(answer);
  }

  /** Asks everything again: the thread is another one. */
  askAgain(post: (message: ToWorker) => void): void {
    for (const [request, { question }] of this.#pending) post(question(request));
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
