/** Ends connections whose token was revoked or has expired: a token is checked when a connection begins, and some of them last for days. */
import { waits } from "../core/waits.ts";

interface Held {
  readonly isValid: () => boolean;
  readonly end: () => void;
}

export class ValidCallers {
  readonly #held = new Set<Held>();
  #timer: NodeJS.Timeout | undefined;

  /** Checks again and again until the returned function is called. */
  hold(held: Held): () => void {
    this.#held.add(held);
    this.#timer ??= setInterval(() => this.#check(), waits.activityMs).unref();
    return () => {
      this.#held.delete(held);
      if (this.#held.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #check(): void {
    for (const held of this.#held) if (!held.isValid()) held.end();
  }
}
