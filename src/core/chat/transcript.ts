/** The rows of a conversation as they were gathered from all frames so far: the last ones; older ones are final and have left. */
import { withErased } from "./erased-rows.ts";
import { beginsPrompt, mergeRows, showsPrompts, type Merge } from "./merge.ts";
import { findRewrapped, hasLettersOf } from "./rewrap.ts";
import { gapRow, type Row } from "./row.ts";

/** What a window changed. Indices count from the first row ever. */
export interface TranscriptChange {
  /** First row that is new or different; null where nothing is. */
  readonly from: number | null;
  /** Rows `shownFrom` to before `shownTo` are on the screen now. */
  readonly shownFrom: number;
  readonly shownTo: number;
  /** The agent began anew: what stood there before is gone from its screen, and is kept here. */
  readonly isCleared: boolean;
}

const unchanged = { from: null, isCleared: false };

export interface TranscriptState {
  readonly rows: readonly Row[];
  readonly dropped: number;
  /** Where the last window began. */
  readonly shownFrom: number | null;
  /** Rows before it are from before the last resize: they were wrapped for another width. */
  readonly otherWidthTo: number;
  /** Where the conversation began. */
  readonly begun: number;
}

export class Transcript {
  readonly #erases: boolean;
  #rows: Row[];
  /** Rows that have left. */
  #dropped: number;
  #shownFrom: number | null;
  #otherWidthTo: number;
  #begun: number;

  /** `erases`: after a resize the agent may erase rows of its own that it does not draw again. */
  constructor(
    state: TranscriptState = { rows: [], dropped: 0, shownFrom: null, otherWidthTo: 0, begun: 0 },
    { erases = false }: { readonly erases?: boolean } = {},
  ) {
    this.#erases = erases;
    this.#rows = [...state.rows];
    this.#dropped = state.dropped;
    this.#shownFrom = state.shownFrom;
    this.#otherWidthTo = state.otherWidthTo;
    this.#begun = state.begun;
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

  /** Returns whether the window shows nothing of the conversation since the first prompt. */
  hasLeft(window: readonly Row[]): boolean {
    const first = this.#firstPrompt();
    if (first === -1) return false;
    const said = new Set(
      this.#rows
        .slice(first)
        .filter(isSaid)
        .map(({ key }) => key),
    );
    return !window.some((row) => isSaid(row) && said.has(row.key));
  }

  /** Index of the first prompt, which follows the welcome; -1 before there is one. */
  #firstPrompt(): number {
    return this.#dropped > this.#begun ? 0 : this.#rows.findIndex((_, index) => beginsPrompt(this.#rows, index));
  }

  /** Begins another conversation with what the window shows. */
  begin(window: readonly Row[]): TranscriptChange {
    const shown = withoutEdges(window);
    if (shown.length === 0) return { ...unchanged, shownFrom: this.end, shownTo: this.end };
    return this.#append(shown, { isApart: false });
  }

  /** Merges what is shown. `isNumbered`: the rows have numbers of the normal screen. */
  show(
    window: readonly Row[],
    { isNumbered, isResized }: { isNumbered: boolean; isResized: boolean },
  ): TranscriptChange {
    const shown = withoutEdges(window);
    if (shown.length === 0) return { ...unchanged, shownFrom: this.end, shownTo: this.end };
    // Rows that were wrapped anew have other numbers.
    if (isResized) {
      this.#rows = this.#rows.map((row) => ({ ...row, line: -1 }));
      this.#otherWidthTo = this.end;
    }
    const hint = isNumbered && !isResized ? this.#indexOf(shown[0]?.line ?? 0) : null;
    const likely = this.#shownFrom === null ? null : this.#shownFrom - this.#dropped;
    const otherWidthTo = this.#otherWidthTo - this.#dropped;
    const found = mergeRows(this.#rows, shown, { hint, likely, otherWidthTo, finalFrom: this.#firstPrompt() });
    const rewrapped = this.#rewrapped(shown, found);
    if (rewrapped !== null) return rewrapped;
    const merge = this.#withoutReflowed(found);
    const again = isNumbered && !merge.isApart ? this.#printedAnew(merge) : null;
    if (again !== null) return again;
    const gone = this.#rows.slice(merge.at);
    if (isCleared(gone, merge.rows)) return this.#append(shown, { isApart: false });
    if (merge.isApart) return this.#anchored(shown) ?? this.#append(shown, { isApart: true });
    return this.#merge(this.#behindGap(merge) ?? merge);
  }

  /** Where rows are missing that stand in front of those that were matched, more of them may be shown now: none is written over. */
  #behindGap({ at, rows, shown, isApart }: Merge): Merge | null {
    const gap = this.#rows.findIndex(({ role }, index) => index >= at && role === "gap");
    if (gap === -1 || gap >= at + rows.length) return null;
    const known = new Set(this.#rows.slice(Math.max(0, at - rows.length), gap).map(({ key }) => key));
    const isClosed = rows.slice(0, gap - at + 1).some(({ key }) => key.length >= 8 && known.has(key));
    return isClosed ? null : { at: gap + 1, rows, changed: 0, shown, isApart };
  }

  /** The upper rows of a window are wrapped anew where those in their place are from before a resize: what was known stays. */
  #withoutReflowed(merge: Merge): Merge {
    const { at, rows, changed, shown } = merge;
    if (changed === 0 || this.#dropped + at >= this.#otherWidthTo) return merge;
    // Rows that were never seen are not known in any width.
    const gap = this.#rows.findLastIndex(({ role }, index) => role === "gap" && index >= at && index < at + changed);
    if (gap !== -1 && !hasLettersOf(this.#rows.slice(0, gap), rows.slice(0, changed))) return merge;
    return { ...merge, at: at + changed, rows: rows.slice(changed), changed: 0, shown: shown - changed };
  }

  /** Of rows from before a resize hardly any is shown as it was: the letters in them tell where the window begins. */
  #rewrapped(shown: readonly Row[], found: Merge): TranscriptChange | null {
    const others = this.#otherWidthTo - this.#dropped;
    if (others <= 0 || (!found.isApart && isMostlySame(this.#rows.slice(found.at), found.rows))) return null;
    const place = findRewrapped(this.#rows, shown);
    const row = place === null ? undefined : this.#rows[place.index];
    if (place === null || row === undefined || place.index >= others) return null;
    const { before, end, from, index, isPart } = place;
    const shownFrom = this.#dropped + index;
    // It is still printed, or something covers the rest.
    if (isPart) return { ...unchanged, shownFrom, shownTo: this.#dropped + end };
    const rows = shown.slice(from);
    if (isCleared(this.#rows.slice(end), rows)) return null;
    if (before === "") return this.#merge({ at: index, rows, shown: rows.length });
    // The first row shown goes on in the middle of one that was longer.
    this.#rows[index] = { ...row, text: before, end: row.limit };
    return this.#merge({ at: index + 1, rows, shown: rows.length });
  }

  #merge(merge: Pick<Merge, "at" | "rows" | "shown">): TranscriptChange {
    const gone = this.#rows.slice(merge.at);
    const shown = this.#erases ? withErased(gone, merge.rows) : merge.rows;
    const rows = shown.map((row, index) => steady(gone[index], row));
    const same = sameRows(gone, rows);
    this.#rows.splice(merge.at, gone.length, ...rows);
    const shownFrom = this.#dropped + merge.at;
    this.#shownFrom = shownFrom;
    const place = { shownFrom, shownTo: shownFrom + merge.shown + rows.length - merge.rows.length };
    if (same === gone.length && same === rows.length) return { ...unchanged, ...place };
    return { from: shownFrom + same, isCleared: false, ...place };
  }

  /**
   * After a resize inline agents print the conversation anew, below and with other wraps: where each prompt since one from before
   * the resize stands in the window again, in order, the window replaces them.
   */
  #printedAnew({ at, rows }: Merge): TranscriptChange | null {
    const isPrompt = (row: Row): boolean => row.isStart && row.role === "user";
    const index = rows.findIndex(isPrompt);
    const first = rows[index];
    if (first === undefined) return null;
    const known = this.#rows.slice(0, at);
    const from = known.findLastIndex((row) => isPrompt(row) && row.line === -1 && stem(row) === stem(first));
    if (from === -1) return null;
    const shown = rows.filter(isPrompt).map(stem);
    const before = known.slice(from).filter(isPrompt).map(stem);
    if (before.some((prompt, place) => shown[place] !== prompt)) return null;
    const own = rows.slice(index);
    return this.#merge({ at: from, rows: own, shown: own.length });
  }

  /**
   * Where the rows of a window are all others, as after a resize, the messages that begin in it may be known. Others can begin with the
   * same words: the prompts that follow must be shown as well.
   */
  #anchored(shown: readonly Row[]): TranscriptChange | null {
    for (const [index, row] of shown.entries()) {
      if (!row.isStart || (row.role !== "user" && row.role !== "assistant") || stem(row).length < 8) continue;
      const at = this.#rows.findLastIndex(
        (known) => known.isStart && known.role === row.role && stem(known) === stem(row),
      );
      const rows = shown.slice(index);
      if (at === -1 || !showsPrompts(this.#rows.slice(at), rows)) continue;
      if (isCleared(this.#rows.slice(at), rows)) return null;
      return this.#merge({ at, rows, shown: rows.length });
    }
    return null;
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
    return {
      rows: [...this.#rows],
      dropped: this.#dropped,
      shownFrom: this.#shownFrom,
      otherWidthTo: this.#otherWidthTo,
      begun: this.#begun,
    };
  }

  #append(rows: readonly Row[], { isApart }: { readonly isApart: boolean }): TranscriptChange {
    const from = this.end;
    if (isApart) this.#rows.push(gapRow);
    else this.#begun = from;
    this.#shownFrom = this.end;
    this.#rows.push(...rows);
    return { from, shownFrom: this.#shownFrom, shownTo: this.end, isCleared: !isApart };
  }

  #indexOf(line: number): number {
    const rows = this.#rows;
    // Rows above can have larger numbers, from before the agent drew anew.
    const same = rows.findLastIndex((row) => row.line === line);
    if (same !== -1) return same;
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

function isMostlySame(known: readonly Row[], rows: readonly Row[]): boolean {
  const said = rows.filter(({ key }) => key !== "").length;
  return rows.filter(({ key }, index) => key !== "" && known[index]?.key === key).length * 2 >= said;
}

function sameRows(one: readonly Row[], other: readonly Row[]): number {
  let index = 0;
  while (index < one.length && index < other.length && isSame(one[index], other[index])) index += 1;
  return index;
}

const isSame = (one: Row | undefined, other: Row | undefined): boolean =>
  one?.key === other?.key && one?.text === other?.text && one?.role === other?.role && one?.isStart === other?.isStart;

/**
 * What people and the agent said is not taken back, but for the last of it: where it would be, the screen was cleared. Where the last
 * of it is shown still, the agent only draws less.
 */
function isCleared(gone: readonly Row[], rows: readonly Row[]): boolean {
  // Most rows stand where they stood.
  const moved = gone.map((row, index) => row.text !== rows[index]?.text && isFirst(gone, index));
  if (!["user", "assistant"].every((role) => gone.some((row, index) => moved[index] === true && row.role === role)))
    return false;
  const shown = new Set(rows.map((row) => stem(row)));
  const last = gone.findLast((row) => row.isStart && isOfTurn(row));
  if (last !== undefined && stem(last).length >= 8 && shown.has(stem(last))) return false;
  const lost = gone.filter((row, index) => moved[index] === true && !shown.has(stem(row)));
  return lost.some(({ role }) => role === "user") && lost.some(({ role }) => role === "assistant");
}

/** Part of what a person, the agent or a tool said. */
const isSaid = ({ role, key }: Row): boolean =>
  key !== "" && (role === null || !["blank", "skip", "notice", "covered", "gap", "command", "welcome"].includes(role));

const isOfTurn = ({ role }: Row): boolean => role === "user" || role === "assistant" || role === "tool-call";

/** A message begins there: by a mark, or where agents have none, behind a row of another role. */
function isFirst(rows: readonly Row[], index: number): boolean {
  const row = rows[index];
  if (row === undefined || row.isStart || (row.role !== "user" && row.role !== "assistant"))
    return row?.isStart === true;
  const before = rows.slice(0, index).findLast(({ role }) => role !== "blank");
  return before !== undefined && before.role !== null && before.role !== row.role;
}

/** The same at any width of the screen. */
const stem = ({ text }: Row): string => text.replaceAll(/\s+/g, "").slice(0, 12);
