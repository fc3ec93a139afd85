/** Which messages a row leaves, in a record whose rows name their parents. */

/** The oldest are forgotten; a branch that begins at one of them leaves only what is known. */
const ROWS_MAX = 100_000;

interface Row {
  readonly id: string;
  readonly parent: string | null;
  /** The messages of the row. */
  readonly messages: string[];
}

export class Branches {
  #rows: Row[] = [];
  #indexes = new Map<string, number>();

  /**
   * Adds a row; also those without messages are parents. Returns the messages that it leaves, each once: with `isTurn`, those of all other
   * descendants of its parent; without a parent, all. Results of calls that ran at the same time are siblings too, and are not turns.
   */
  add(id: string, parent: string | null, messages: readonly string[], isTurn: boolean): string[] {
    // A file that is read again.
    if (this.#indexes.has(id)) return [];
    const left = isTurn ? this.#leave(parent) : [];
    if (this.#rows.length >= ROWS_MAX) {
      this.#rows = this.#rows.slice(ROWS_MAX / 2);
      this.#indexes = new Map(this.#rows.map((row, index) => [row.id, index]));
    }
    this.#indexes.set(id, this.#rows.length);
    this.#rows.push({ id, parent, messages: [...messages] });
    return left;
  }

  #leave(parent: string | null): string[] {
    // A parent may be missing, if its row was damaged.
    const index = parent === null ? -1 : (this.#indexes.get(parent) ?? -1);
    const left = new Set(parent === null ? [] : [parent]);
    const messages = this.#rows.slice(index + 1).flatMap((row) => {
      if (parent !== null && (row.parent === null || !left.has(row.parent))) return [];
      left.add(row.id);
      return row.messages.splice(0);
    });
    return [...new Set(messages)];
  }
}
