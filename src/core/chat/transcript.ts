/** The rows of a conversation as they were gathered from all frames so far: the last ones; older ones are final and have left. */
import { mergeRows } from "./merge.ts";
import type { Row } from "./row.ts";

/** What a window changed. Indices count from the first row ever. */
export interface TranscriptChange {
  /** First row that is new or different; null where nothing is. */
  readonly from: number | null;
  /** Rows between what was known and `from` may never have been seen. */
  readonly isApart: boolean;
  /** The agent began anew: what stood there before is gone from its screen, and is kept here. */
  readonly isCleared: boolean;
}

const unchanged: TranscriptChange = { from: null, isApart: false, isCleared: false };

export interface TranscriptState {
  readonly rows: readonly Row[];
  readonly dropped: number;
}

export class Transcript {
  #rows: Row[];
  /** Rows that have left. */
  #dropped: number;

  constructor(state: TranscriptState = { rows: [], dropped: 0 }) {
    this.#rows = [...state.rows];
    this.#dropped = state.dropped;
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get end(): number {
    return this.#dropped + this.#rows.length;
  }

  /** Merges what is shown. `isNumbered`: the rows have numbers of the normal screen. */
  show(window: readonly Row[], isNumbered: boolean): TranscriptChange {
    const shown = withoutEdges(window);
    if (shown.length === 0) return unchanged;
    const hint = isNumbered ? this.#indexOf(shown[0]?.line ?? 0) : null;
    const merge = mergeRows(this.#rows, shown, hint);
    const gone = this.#rows.slice(merge.at);
    if (isCleared(gone, merge.rows)) return this.#append(shown, { isApart: false, isCleared: true });
    if (merge.isApart) return this.#append(shown, { isApart: true, isCleared: false });
    const rows = merge.rows.map((row, index) => steady(gone[index], row));
    const same = sameRows(gone, rows);
    this.#rows.splice(merge.at, gone.length, ...rows);
    if (same === gone.length && same === rows.length) return unchanged;
    return { from: this.#dropped + merge.at + same, isApart: false, isCleared: false };
  }

  /** Lets the rows before `index` go. */
  drop(index: number): void {
    const count = Math.max(0, Math.min(index - this.#dropped, this.#rows.length));
    this.#rows.splice(0, count);
    this.#dropped += count;
  }

  /** Makes `row` the one at `index`. */
  replace(index: number, row: Row): void {
    this.#rows[index - this.#dropped] = row;
  }

  save(): TranscriptState {
    return { rows: [...this.#rows], dropped: this.#dropped };
  }

  #append(rows: readonly Row[], change: { readonly isApart: boolean; readonly isCleared: boolean }): TranscriptChange {
    const from = this.end;
    this.#rows.push(...rows);
    return { from, ...change };
  }

  #indexOf(line: number): number {
    const rows = this.#rows;
    let index = rows.length;
    while (index > 0 && (rows[index - 1]?.line ?? -1) >= line) index -= 1;
    return index;
  }
}

/** Without blank rows at both ends. */
function withoutEdges(rows: readonly Row[]): readonly Row[] {
  const first = rows.findIndex(({ role }) => role !== "blank");
  if (first === -1) return [];
  return rows.slice(first, rows.findLastIndex(({ role }) => role !== "blank") + 1);
}

/** A mark that blinks is there also while it is not shown. */
function steady(before: Row | undefined, row: Row): Row {
  if (row.role === "covered") return before === undefined ? row : { ...before, line: row.line };
  if (before?.key !== row.key || row.role !== null || !before.isStart) return row;
  return { ...before, line: row.line };
}

function sameRows(one: readonly Row[], other: readonly Row[]): number {
  let index = 0;
  while (index < one.length && index < other.length && isSame(one[index], other[index])) index += 1;
  return index;
}

const isSame = (one: Row | undefined, other: Row | undefined): boolean =>
  one?.key === other?.key && one?.text === other?.text && one?.role === other?.role && one?.isStart === other?.isStart;

/** What people and the agent said is not taken back, but for the last of it: where it would be, the screen was cleared. */
function isCleared(gone: readonly Row[], rows: readonly Row[]): boolean {
  const shown = new Set(rows.map((row) => stem(row)));
  const lost = gone.filter((row) => row.isStart && !shown.has(stem(row)));
  return lost.some(({ role }) => role === "user") && lost.some(({ role }) => role === "assistant");
}

/** The same at any width of the screen. */
const stem = ({ text }: Row): string => text.replaceAll(/\s+/g, "").slice(0, 12);
