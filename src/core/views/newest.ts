/** The newest items of a list, as plain data within limits. An item replaces the one with its key and stays in its place. */

const ITEMS_MAX = 1000;
/** Of the items as JSON, in UTF-16 units. */
const CHARS_MAX = 1024 * 1024;

export interface NewestState<Item> {
  readonly items: readonly (readonly [string, Item])[];
  readonly omitted: number;
}

export class Newest<Item> {
  readonly #items: Map<string, Item>;
  #omitted: number;
  #chars = 0;
  /** Made when somebody reads them. */
  #values: readonly Item[] | null = null;

  constructor(state: NewestState<Item> = { items: [], omitted: 0 }) {
    this.#items = new Map(state.items);
    this.#omitted = state.omitted;
    for (const [, item] of state.items) this.#chars += charsOf(item);
  }

  get values(): readonly Item[] {
    return (this.#values ??= [...this.#items.values()]);
  }

  /** How many were dropped, the oldest first. */
  get omitted(): number {
    return this.#omitted;
  }

  has(key: string): boolean {
    return this.#items.has(key);
  }

  put(key: string, item: Item): void {
    this.#chars += charsOf(item) - charsOf(this.#items.get(key));
    this.#items.set(key, item);
    this.#values = null;
    while (this.#items.size > ITEMS_MAX || this.#chars > CHARS_MAX) this.#dropOldest();
  }

  save(): NewestState<Item> {
    return { items: [...this.#items], omitted: this.#omitted };
  }

  #dropOldest(): void {
    const [oldest] = this.#items;
    if (oldest === undefined) return;
    const [key, item] = oldest;
    this.#items.delete(key);
    this.#chars -= charsOf(item);
    this.#omitted += 1;
  }
}

const charsOf = (item: unknown): number => (item === undefined ? 0 : JSON.stringify(item).length);
