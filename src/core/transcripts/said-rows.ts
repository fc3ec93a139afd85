/** The conversation of a record and its rows in their order: which messages an agent takes back when it leaves some of them. */
import { asName } from "../wire/shape.ts";
import type { RecordEntry } from "./record-entry.ts";

/** The oldest are forgotten: what was said in them cannot be taken back. */
const ROWS_MAX = 100_000;

export interface SaidRow {
  readonly id: string;
  readonly parent: string | null;
  readonly hasPrompt: boolean;
  /** Ids of its messages; empty after they were taken back. */
  readonly messages: Set<string>;
}

export class SaidRows {
  #conversation: string | undefined;
  #rows: SaidRow[] = [];
  #indexes = new Map<string, number>();

  get conversation(): string | undefined {
    return this.#conversation;
  }

  get all(): readonly SaidRow[] {
    return this.#rows;
  }

  /** Reports a conversation when its id changes; `from` is the one it was forked from. */
  enter(id: unknown, from?: unknown): RecordEntry[] {
    const [name, origin] = [asName(id), asName(from)];
    if (name === undefined || name === this.#conversation) return [];
    this.#conversation = name;
    return [{ kind: "conversation", id: name, ...(origin !== undefined && { from: origin }) }];
  }

  /** Nothing that was said can be taken back any more. */
  forget(): void {
    this.#rows = [];
    this.#indexes.clear();
  }

  /** Adds a row, or more messages to a known one. */
  add(id: string, entries: readonly RecordEntry[], parent: string | null = null): void {
    const messages = entries.flatMap((entry) => (entry.kind === "message" ? [entry.id] : []));
    const known = this.#rows[this.#indexes.get(id) ?? -1];
    if (known !== undefined) {
      for (const message of messages) known.messages.add(message);
      return;
    }
    if (this.#rows.length >= ROWS_MAX) {
      this.#rows = this.#rows.slice(ROWS_MAX / 2);
      this.#indexes = new Map(this.#rows.map((row, index) => [row.id, index]));
    }
    this.#indexes.set(id, this.#rows.length);
    this.#rows.push({ id, parent, hasPrompt: hasPrompt(entries), messages: new Set(messages) });
  }

  /** Takes back the messages of these rows that no other row has. */
  leave(isLeft: (row: SaidRow, index: number) => boolean): RecordEntry[] {
    const left = this.#rows.filter((row, index) => row.messages.size > 0 && isLeft(row, index));
    const ids = new Set(left.flatMap(({ messages }) => [...messages]));
    for (const { messages } of left) messages.clear();
    if (ids.size > 0) for (const { messages } of this.#rows) for (const id of messages) ids.delete(id);
    return ids.size === 0 ? [] : [{ kind: "taken-back", ids: [...ids], why: "rewound" }];
  }

  /**
   * Adds a row of a tree and takes back what it leaves: with `isTurn`, all other descendants of its parent; without a parent, all rows.
   * Rows without messages are parents too. Results of calls that ran at the same time are siblings, but not turns.
   */
  branch(id: string, parent: string | null, entries: readonly RecordEntry[], isTurn: boolean): RecordEntry[] {
    // A file that is read again.
    if (this.#indexes.has(id)) return [];
    const left = isTurn ? this.#leaveChildren(parent) : [];
    this.add(id, entries, parent);
    return left;
  }

  #leaveChildren(parent: string | null): RecordEntry[] {
    if (parent === null) return this.leave(() => true);
    // A parent may be missing, if its row was damaged.
    const from = this.#indexes.get(parent) ?? -1;
    const left = new Set([parent]);
    for (const row of this.#rows.slice(from + 1)) if (row.parent !== null && left.has(row.parent)) left.add(row.id);
    return left.size === 1 ? [] : this.leave(({ id }) => id !== parent && left.has(id));
  }
}

export const hasPrompt = (entries: readonly RecordEntry[]): boolean =>
  entries.some((entry) => entry.kind === "message" && entry.role === "user");
