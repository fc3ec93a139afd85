/** What the views of one session report, kept in memory: the last state of each thing, as the daemon keeps it in its database. */
import { LecternError } from "../core/errors.ts";
import type { ViewChange } from "../core/views/change.ts";
import type { KeptViews } from "../daemon/store/view-store.ts";
import {
  isMovedToEnd,
  toRows,
  type ChangeQuery,
  type ChangeRow,
  type ThingQuery,
} from "../daemon/store/view-schema.ts";

/** Beyond it the oldest things are forgotten. */
const ROWS_MAX = 20_000;

export class MemoryViews implements KeptViews {
  /** By kind and key, in the order in which things were first reported, or last if they move to the end. */
  readonly #rows = new Map<string, ChangeRow>();

  put(_session: string, changes: readonly ViewChange[]): void {
    for (const row of changes.flatMap(toRows)) {
      const key = `${row.kind} ${row.key}`;
      if (isMovedToEnd(row)) this.#rows.delete(key);
      const { ordinal } = this.#rows.get(key) ?? row;
      this.#rows.set(key, { ...row, ordinal });
    }
    for (const key of this.#rows.keys()) {
      if (this.#rows.size <= ROWS_MAX) break;
      this.#rows.delete(key);
    }
  }

  async changes(query: ChangeQuery): Promise<ViewChange[]> {
    return this.#select({ ...query, last: null }, "offset");
  }

  async list(query: ThingQuery): Promise<ViewChange[]> {
    return this.#select(query, "ordinal");
  }

  #select({ from, kinds, last, changesMax }: ThingQuery, column: "offset" | "ordinal"): ViewChange[] {
    const found = [...this.#rows.values()]
      .filter(({ kind, offset }) => offset >= from && (kinds as readonly string[]).includes(kind))
      .toSorted((one, other) => one[column] - other[column]);
    const wanted = last === null ? found.slice(0, changesMax) : found.slice(-Math.min(last, changesMax));
    return wanted.map(({ change }) => JSON.parse(change) as ViewChange);
  }

  async forget(): Promise<void> {
    this.#rows.clear();
  }

  async search(): Promise<never> {
    throw new LecternError("NOT_AVAILABLE", "Cannot search a session of this process: only a daemon has an index");
  }

  /** A view that is lost reads the journal again from its beginning. */
  async putCheckpoint(): Promise<void> {}

  async checkpoint(): Promise<undefined> {}

  async checkpointOffsets(): Promise<ReadonlyMap<string, number>> {
    return new Map();
  }

  async lastWords(): Promise<[]> {
    return [];
  }

  async usageHours(): Promise<[]> {
    return [];
  }

  async close(): Promise<void> {}
}
