/** The order of messages: nearly all come last, and one that another source adds comes between two others. */
import { orderOf, type ChatMessage } from "./message.ts";

type Ordered = Pick<ChatMessage, "id" | "order">;

export class MessageOrder {
  readonly #all: { readonly id: string; readonly order: number }[] = [];

  /** One that is known stays where it is. */
  add(message: Ordered): void {
    const { id } = message;
    if (this.#indexOf(message) === -1)
      this.#all.splice(this.#behind(orderOf(message)), 0, { id, order: orderOf(message) });
  }

  remove(message: Ordered): void {
    const index = this.#indexOf(message);
    if (index !== -1) this.#all.splice(index, 1);
  }

  next(order: number): number | undefined {
    return this.#all[this.#behind(order)]?.order;
  }

  /** An order directly in front of the message. */
  inFrontOf(message: Ordered): number {
    const order = orderOf(message);
    const before = this.#all[this.#indexOf(message) - 1]?.order ?? order - 1;
    return (before + order) / 2;
  }

  get ids(): string[] {
    return this.#all.map(({ id }) => id);
  }

  /** The ids from the last one on. */
  *backwards(): Generator<string> {
    for (let index = this.#all.length - 1; index >= 0; index--) yield this.#all[index]?.id ?? "";
  }

  #indexOf(message: Ordered): number {
    const order = orderOf(message);
    for (let index = this.#behind(order) - 1; this.#all[index]?.order === order; index--)
      if (this.#all[index]?.id === message.id) return index;
    return -1;
  }

  /** Index of the first one with a greater order. */
  #behind(order: number): number {
    let [low, high] = [0, this.#all.length];
    if ((this.#all.at(-1)?.order ?? -Infinity) <= order) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#all[middle]?.order ?? Infinity) > order) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
