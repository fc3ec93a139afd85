/** The rows of a conversation as they were gathered from all frames so far: the last ones; older ones are final and have left. */
import { isSaid } from "./align-rows.ts";
import type { Writable } from "./message-log.ts";
import { beginsPrompt, mergeRows, type Merge, type MergePlace } from "./merge.ts";
import { findRewrapped, hasLettersOf } from "./rewrap.ts";
import { letters } from "./revision.ts";
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
  /** It may as well go on behind rows that were never seen. */
  readonly isDoubtful?: boolean;
  /** The window before was half a repaint: what stood there before it goes on. */
  readonly isRestored?: boolean;
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
  /** Where the last prompt that was acknowledged begins: rows before it never change. */
  readonly prompt: number | null;
  /** The last window that changed something and the rows before it, if these did not agree: the next one may show that it was half a repaint. */
  readonly doubtful: Doubtful | null;
  /** The last window. */
  readonly last: readonly Row[];
}

interface Doubtful {
  readonly window: readonly Row[];
  readonly before: readonly Row[];
  /** The window before it. */
  readonly stood: readonly Row[];
  /** Its rows that are not those of the window before it; null for the others. */
  readonly half: readonly (Row | null)[];
}

const nothingShown: TranscriptState = {
  rows: [],
  dropped: 0,
  shownFrom: null,
  otherWidthTo: 0,
  begun: 0,
  prompt: null,
  doubtful: null,
  last: [],
};

export class Transcript {
  readonly #erases: boolean;
  readonly #state: Writable<TranscriptState>;

  /** `erases`: after a resize the agent may erase rows of its own that it does not draw again. */
  constructor(state = nothingShown, { erases = false }: { readonly erases?: boolean } = {}) {
    this.#erases = erases;
    this.#state = { ...state };
  }

  get rows(): readonly Row[] {
    return this.#state.rows;
  }

  get dropped(): number {
    return this.#state.dropped;
  }

  /** Rows before it never change. */
  get final(): number {
    return Math.max(this.#state.prompt ?? this.#state.begun, this.#state.dropped);
  }

  /** The last window may have been half a repaint. */
  get isDoubtful(): boolean {
    return this.#state.doubtful !== null;
  }

  /** Rows before it are there whatever the next window takes back. */
  get sure(): number {
    if (this.#state.doubtful === null) return this.end;
    const { before } = this.#state.doubtful;
    const same = sameRows(before, this.#state.rows);
    const [known, now] = [before[same], this.#state.rows[same]];
    return this.#state.dropped + same + (known !== undefined && now?.key.startsWith(known.key) === true ? 1 : 0);
  }

  get end(): number {
    return this.#state.dropped + this.#state.rows.length;
  }

  /** Returns whether the window shows nothing of the conversation since the first prompt. */
  hasLeft(window: readonly Row[]): boolean {
    const first = this.#firstPrompt();
    if (first === -1) return false;
    const said = new Set(
      this.#state.rows
        .slice(first)
        .filter(isOfTalk)
        .map(({ key }) => key),
    );
    return !window.some((row) => isOfTalk(row) && said.has(row.key));
  }

  /** Index of the first prompt, which follows the welcome; -1 before there is one. */
  #firstPrompt(): number {
    return this.#state.dropped > this.#state.begun
      ? 0
      : this.#state.rows.findIndex((_, index) => beginsPrompt(this.#state.rows, index));
  }

  /** The prompt that begins at the row `index` was acknowledged. */
  acknowledge(index: number): void {
    this.#state.prompt = index;
  }

  /** Begins another conversation with what the window shows. */
  begin(window: readonly Row[]): TranscriptChange {
    this.#state.last = window;
    const shown = withoutEdges(window);
    if (shown.length === 0) return { ...unchanged, shownFrom: this.end, shownTo: this.end };
    return this.#append(shown, { isApart: false });
  }

  /** The window is the last one, in the same place. */
  isLast(window: readonly Row[]): boolean {
    return window[0]?.line === this.#state.last[0]?.line && isSameWindow(this.#state.last, window);
  }

  /** Merges what is shown. `isResized`: the size has changed since the last window. */
  show(window: readonly Row[], isResized = false): TranscriptChange {
    const shown = withoutEdges(window);
    const still = isResized || window[0]?.line !== -1 ? 0 : rowsStill(this.#state.last, window);
    const last = this.#state.last;
    const lastLead = leadOf(last);
    this.#state.last = window;
    if (!shown.some(isSaid)) return { ...unchanged, shownFrom: this.end, shownTo: this.end };
    // Rows that were wrapped anew have other numbers.
    if (isResized) {
      this.#state.rows = this.#state.rows.map((row) => ({ ...row, line: -1 }));
      this.#state.doubtful = null;
      this.#state.otherWidthTo = this.end;
    }
    const likely = this.#state.shownFrom === null ? null : this.#state.shownFrom - this.#state.dropped;
    const otherWidthTo = this.#state.otherWidthTo - this.#state.dropped;
    const final = this.final - this.#state.dropped;
    const isBelowBlank = window[0]?.line === -1 && window[0].role === "blank";
    const place = { final, likely, otherWidthTo, isBelowBlank };
    const found = mergeRows(this.#state.rows, shown, place);
    // Rows that stand still on the screen, but not in the conversation, are those of the window before.
    const isHalf = still > 0 && likely !== null && found.top - leadOf(window) !== likely - lastLead;
    const doubtful = this.#state.doubtful;
    // The same window again tells nothing new.
    if (doubtful !== null && isSameWindow(doubtful.window, shown)) return this.#merge(found);
    this.#state.doubtful = null;
    const anew = doubtful === null ? null : mergedAnew(doubtful, shown, { found, place, whole: window });
    if (doubtful !== null && anew !== null) {
      if (isHalf)
        this.#state.doubtful = { window: shown, before: doubtful.before, stood: last, half: differing(last, window) };
      return this.#mergeAnew(doubtful.before, anew);
    }
    const canDoubt = !isResized && shown[0]?.line === -1;
    const rewrapped = this.#rewrapped(shown, found, isResized);
    if (rewrapped !== null) return rewrapped;
    const merge = this.#withoutReflowed(found);
    if (merge.isApart && this.#isBegun(shown)) return this.#append(shown, { isApart: false });
    if (isCleared(this.#state.rows.slice(merge.at), merge.rows)) {
      const isApart = found.doubt === "all" && !this.#showsWelcome(shown);
      return { ...this.#append(isApart ? withLossAt(shown, 0) : shown, { isApart: false }), isDoubtful: isApart };
    }
    const before = this.#state.rows;
    const change = merge.isApart ? this.#append(shown, { isApart: true }) : this.#place(merge, found, isResized);
    if (canDoubt && (isHalf || merge.isApart || !found.isClean || found.hasRival === true))
      this.#state.doubtful = { window: shown, before, stood: last, half: differing(last, window) };
    return change;
  }

  #place(merge: Merge, { doubt = null }: Merge, isResized: boolean): TranscriptChange {
    const placed = this.#behindGap(merge) ?? merge;
    if (isResized || doubt === null) return this.#merge(placed);
    return this.#merge(this.#withLoss(doubt === "all" ? this.#doubted(placed) : placed));
  }

  /** With a mark on the first row that is shown, and on each that differs from the one in its place. */
  #doubted(merge: Merge): Merge {
    const first = merge.rows.findIndex(isSaid);
    const isOther = (row: Row, index: number): boolean =>
      index === first || this.#state.rows[merge.at + index]?.key !== row.key;
    const rows = merge.rows.map((row, index): Row =>
      index < merge.shown && isSaid(row) && isOther(row, index) ? { ...row, isDoubtful: true } : row,
    );
    const head = rows[first];
    // Whoever asks next has had an answer.
    if (head?.role === "user" && head.isDoubtful && this.#state.rows[merge.at + first]?.key !== head.key)
      rows[first] = { ...head, isBehindLoss: true };
    return { ...merge, rows };
  }

  /** With a mark where words of a person or the agent are written over by others. */
  #withLoss(merge: Merge): Merge {
    const gone = this.#state.rows.slice(merge.at);
    if (!losesTalk(this.#state.rows, merge)) return merge;
    const other = merge.rows.findIndex((row, index) => isSaid(row) && gone[index]?.key !== row.key);
    const at = other === -1 ? merge.rows.findLastIndex(isSaid) : other;
    return { ...merge, rows: withLossAt(merge.rows, at) };
  }

  /** The window goes on cleanly from the rows before the last one, which was half a repaint. */
  #mergeAnew(before: readonly Row[], merge: Merge): TranscriptChange {
    const old = this.#state.rows;
    this.#state.rows = before;
    const change = this.#merge(merge);
    const same = sameRows(old, this.#state.rows);
    const from = same === old.length && same === this.#state.rows.length ? null : this.#state.dropped + same;
    return { ...change, from, isRestored: true };
  }

  /** The window shows how the conversation began, and nothing of what was said: the agent has begun anew. */
  #isBegun(window: readonly Row[]): boolean {
    return this.hasLeft(window) && this.#showsWelcome(window);
  }

  #showsWelcome(window: readonly Row[]): boolean {
    const welcome = new Set(this.#state.rows.slice(0, Math.max(0, this.#firstPrompt())).map(({ key }) => key));
    return window.some((row) => row.role === "welcome" || (row.key !== "" && welcome.has(row.key)));
  }

  /** Where rows are missing that stand in front of those that were matched, more of them may be shown now: none is written over. */
  #behindGap({ at, rows, shown, isApart }: Merge): Merge | null {
    const gap = this.#state.rows.findIndex(({ role }, index) => index >= at && role === "gap");
    if (gap === -1 || gap >= at + rows.length) return null;
    const known = new Set(this.#state.rows.slice(Math.max(0, at - rows.length), gap).map(({ key }) => key));
    const isClosed = rows.slice(0, gap - at + 1).some(({ key }) => key.length >= 8 && known.has(key));
    return isClosed ? null : { at: gap + 1, top: gap + 1, rows, changed: 0, shown, isApart, isClean: false };
  }

  /** The upper rows of a window are wrapped anew where those in their place are from before a resize: what was known stays. */
  #withoutReflowed(merge: Merge): Merge {
    const { at, rows, changed, shown } = merge;
    if (changed === 0 || this.#state.dropped + at >= this.#state.otherWidthTo) return merge;
    // Rows that were never seen are not known in any width.
    const gap = this.#state.rows.findLastIndex(
      ({ role }, index) => role === "gap" && index >= at && index < at + changed,
    );
    if (gap !== -1 && !hasLettersOf(this.#state.rows.slice(0, gap), rows.slice(0, changed))) return merge;
    return { ...merge, at: at + changed, rows: rows.slice(changed), changed: 0, shown: shown - changed };
  }

  /** Of rows from before a resize hardly any is shown as it was: the letters in them tell where the window begins. */
  #rewrapped(shown: readonly Row[], found: Merge, isResized: boolean): TranscriptChange | null {
    const others = this.#state.otherWidthTo - this.#state.dropped;
    if (others <= 0 || (!found.isApart && isMostlySame(this.#state.rows.slice(found.at), found.rows))) return null;
    const final = this.final - this.#state.dropped;
    const place = found.at === final && !found.isApart ? null : findRewrapped(this.#state.rows, shown);
    const row = place === null ? undefined : this.#state.rows[place.index];
    if (place === null || row === undefined || place.index >= others) return null;
    const { before, end, from, index, isPart } = place;
    if (!isPart && index < final) return null;
    const shownFrom = this.#state.dropped + index;
    // It is still printed, or something covers the rest.
    if (isPart) return { ...unchanged, shownFrom, shownTo: this.#state.dropped + end };
    // On a screen that has not changed its size, letters alone are a guess: rows in between may never have been seen.
    const isDoubtful = !isResized && shown[0]?.line === -1;
    const rows = isDoubtful ? withLossAt(shown.slice(from), 0) : shown.slice(from);
    if (isCleared(this.#state.rows.slice(end), rows)) return null;
    if (before === "") return this.#merge({ at: index, top: index - from, rows, shown: rows.length });
    // The first row shown goes on in the middle of one that was longer.
    this.#state.rows = this.#state.rows.with(index, { ...row, text: before, end: row.limit });
    return this.#merge({ at: index + 1, top: index + 1 - from, rows, shown: rows.length });
  }

  #merge(merge: Pick<Merge, "at" | "rows" | "shown" | "top">): TranscriptChange {
    const gone = this.#state.rows.slice(merge.at);
    const shown = this.#erases ? withErased(gone, merge.rows) : merge.rows;
    const rows = shown.map((row, index) => steady(gone[index], row));
    const same = sameRows(gone, rows);
    this.#state.rows = [...this.#state.rows.slice(0, merge.at), ...rows];
    const shownFrom = this.#state.dropped + merge.at;
    this.#state.shownFrom = this.#state.dropped + merge.top;
    const place = { shownFrom, shownTo: shownFrom + merge.shown + rows.length - merge.rows.length };
    if (same === gone.length && same === rows.length) return { ...unchanged, ...place };
    return { from: shownFrom + same, isCleared: false, ...place };
  }

  /** Lets the rows before `index` go. */
  drop(index: number): void {
    const count = Math.max(0, Math.min(index - this.#state.dropped, this.#state.rows.length));
    this.#state.rows = this.#state.rows.slice(count);
    this.#state.doubtful = null;
    this.#state.dropped += count;
  }

  replace(index: number, row: Row): void {
    this.#state.rows = this.#state.rows.with(index - this.#state.dropped, row);
  }

  save(): TranscriptState {
    return { ...this.#state };
  }

  #append(rows: readonly Row[], { isApart }: { readonly isApart: boolean }): TranscriptChange {
    const from = this.end;
    this.#state.doubtful = null;
    if (isApart) this.#state.rows = [...this.#state.rows, gapRow];
    else {
      this.#state.begun = from;
      this.#state.prompt = null;
    }
    this.#state.shownFrom = this.end;
    this.#state.rows = [...this.#state.rows, ...rows];
    return { from, shownFrom: this.#state.shownFrom, shownTo: this.end, isCleared: !isApart };
  }
}

const isSameWindow = (one: readonly Row[], other: readonly Row[]): boolean =>
  one.length === other.length && sameRows(one, other) === other.length;

/**
 * The window behind the rows from before a doubtful one, if it goes on cleanly from them, and takes that one back: it is the rest of a
 * half repaint, what stood there before it, or nothing that goes on from it.
 */
function mergedAnew(
  { before, window: last, stood, half }: Doubtful,
  window: readonly Row[],
  { found, place, whole }: { readonly found: Merge; readonly place: MergePlace; readonly whole: readonly Row[] },
): Merge | null {
  const isKept = found.isClean || !isOf([...before, ...window], last);
  if (isKept && !isSameWindow(stood, whole) && !isBetween(half, whole)) return null;
  const anew = mergeRows(before, window, { ...place, likely: null });
  return anew.isClean ? anew : null;
}

/** What cannot be gone on from was half a repaint only if each of its rows stands, in part at least, in one before or after it. */
const isOf = (rows: readonly Row[], window: readonly Row[]): boolean =>
  window
    .filter(isSaid)
    .every(({ key }) => rows.some((row) => isSaid(row) && (row.key.startsWith(key) || key.startsWith(row.key))));

/** The rows of the window that are not those of the one before it. */
const differing = (before: readonly Row[], window: readonly Row[]): (Row | null)[] =>
  window.map((row, index) => (row.key === "" || row.key === before[index]?.key ? null : row));

/** The rest of a half repaint is drawn: what was new in it stands where it stood. */
const isBetween = (half: readonly (Row | null)[], window: readonly Row[]): boolean =>
  half.every((row, index) => row === null || row.key === window[index]?.key);

/** Without blank rows at both ends. */
function withoutEdges(rows: readonly Row[]): readonly Row[] {
  const first = rows.findIndex(({ role }) => role !== "blank");
  if (first === -1) return [];
  return rows.slice(first, rows.findLastIndex(({ role }) => role !== "blank") + 1);
}

/** A mark that blinks is there also while it is not shown, and a doubt stays. */
function steady(before: Row | undefined, row: Row): Row {
  if (row.role === "covered") return before === undefined ? row : { ...before, line: row.line };
  if (before?.key !== row.key) return row;
  const { isDoubtful, isBehindLoss } = before;
  const shown = { ...row, ...(isDoubtful && { isDoubtful }), ...(isBehindLoss && { isBehindLoss }) };
  return shown.role !== null || !before.isStart ? shown : { ...before, line: row.line };
}

/** So many rows, from the first to the last that says something, stand below all that differ from the window before; 0 if none differs. */
function rowsStill(last: readonly Row[], window: readonly Row[]): number {
  if (last.length !== window.length) return 0;
  const other = window.findLastIndex(({ key }, index) => key !== last[index]?.key);
  return other === -1 ? 0 : withoutEdges(window.slice(other + 1)).length;
}

const leadOf = (rows: readonly Row[]): number =>
  Math.max(
    0,
    rows.findIndex(({ role }) => role !== "blank"),
  );

const withLossAt = (rows: readonly Row[], at: number): readonly Row[] =>
  rows.map((row, index) => (index === at ? { ...row, isBehindLoss: true } : row));

/** Rows of a prompt or an answer are replaced, and not all of their letters are shown in the rows that replace them. */
function losesTalk(known: readonly Row[], { at, rows }: Merge): boolean {
  const shown = rows.map(({ text }) => letters(text)).join("");
  let role = known.slice(0, at).findLast((row) => row.role !== null && row.role !== "blank")?.role;
  const end = rows.findLastIndex(isSaid);
  return known.slice(at).some((row, index) => {
    // Where nothing stands in its place, the agent draws less for the time.
    if (index > end) return false;
    if (row.role !== null && row.role !== "blank") role = row.role;
    return isSaid(row) && (role === "user" || role === "assistant") && !shown.includes(letters(row.text));
  });
}

function isMostlySame(known: readonly Row[], rows: readonly Row[]): boolean {
  const said = Math.min(...[known, rows].map((all) => all.filter(({ key }) => key !== "").length));
  return said > 0 && rows.filter(({ key }, index) => key !== "" && known[index]?.key === key).length * 2 >= said;
}

function sameRows(one: readonly Row[], other: readonly Row[]): number {
  let index = 0;
  while (index < one.length && index < other.length && isSame(one[index], other[index])) index += 1;
  return index;
}

const isSame = (one: Row | undefined, other: Row | undefined): boolean =>
  one?.key === other?.key &&
  one?.text === other?.text &&
  one?.role === other?.role &&
  one?.isStart === other?.isStart &&
  one?.isDoubtful === other?.isDoubtful &&
  one?.isBehindLoss === other?.isBehindLoss;

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
const isOfTalk = (row: Row): boolean => isSaid(row) && row.role !== "command" && row.role !== "welcome";

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

// Rows of an answer that a redraw erased by mistake: some agents move up by the rows that they believe to have drawn, and after a resize
// that is too many.

/** So many rows can be erased at a time. */
const ERASED_ROWS_MAX = 24;
/** A shorter row may be the same by chance. */
const CHARS_MIN = 4;

/**
 * What replaces `gone`: `rows`, and between them those rows of an answer in `gone` that are missing although what followed them is still
 * shown.
 */
export function withErased(gone: readonly Row[], rows: readonly Row[]): readonly Row[] {
  const same = rows.findIndex((row, index) => gone[index]?.key !== row.key);
  if (same < 1) return rows;
  const next = rows.findIndex(({ key }, index) => index >= same && key !== "");
  const first = rows[next];
  if (first === undefined) return rows;
  const end = gone.findIndex(
    (row, index) => index > same && index <= same + ERASED_ROWS_MAX && isSameOrGrown(row, first),
  );
  const erased = end === -1 ? [] : gone.slice(same, end);
  if (!erased.some(({ key }) => key !== "") || !erased.every(isOfAnswer)) return rows;
  return [...rows.slice(0, same), ...erased.map((row) => ({ ...row, line: -1 })), ...rows.slice(next)];
}

const isOfAnswer = ({ role, isStart }: Row): boolean => (role === null || role === "blank") && !isStart;

const isSameOrGrown = (before: Row, now: Row): boolean =>
  before.role === now.role && before.key.trim().length >= CHARS_MIN && now.key.startsWith(before.key);
