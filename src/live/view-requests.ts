/** Questions of a live view to its worker that are not answered yet; they survive the thread that they were sent to. */
import { isOfType, type AnswerTo, type FromWorker, type ToWorker } from "./view-messages.ts";

type Numbered = Extract<ToWorker, { readonly request: number }>;
type WithoutNumber<Message> = Message extends Numbered ? Omit<Message, "id" | "request"> : never;
export type WorkerQuestion = WithoutNumber<Numbered>;

type Post = (message: ToWorker) => void;

interface Pending {
  readonly message: ToWorker;
  readonly resolve: (answer: FromWorker) => void;
  readonly reject: (error: unknown) => void;
}

export class ViewRequests {
  readonly #id: number;
  readonly #pending = new Map<number, Pending>();
  #next = 1;

  constructor(id: number) {
    this.#id = id;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Resolves with the answer. If `post` is undefined, the question waits for `askAgain`. */
  async ask<Asked extends WorkerQuestion>(question: Asked, post: Post | undefined): Promise<AnswerTo<Asked["type"]>> {
    const request = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<FromWorker>();
    const message: ToWorker = { ...question, id: this.#id, request };
    this.#pending.set(request, { message, resolve, reject });
    post?.(message);
    const answer = await promise;
    const { type } = question;
    if (!isOfType<Asked["type"]>(answer, type))
      throw new TypeError(`The view worker answered "${answer.type}" to "${type}"`);
    return answer;
  }

  settle(request: number, answer: FromWorker): void {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    pending?.resolve(answer);
  }

  /** Sends every open question, to a new thread. */
  askAgain(post: Post): void {
    for (const { message } of this.#pending.values()) post(message);
  }

  rejectAll(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
