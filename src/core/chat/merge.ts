/**
 * Anchor and merge, on rows: where what is shown now belongs in what was seen so far.
 *
 * A window shows the end of a transcript that scrolls, grows at its end and changes near it. The rows that both have say where the
 * window begins; from there on it replaces what was known.
 *
 * Law: what a later prompt has acknowledged is final. A place counts only if nearly all final rows in it are shown, the end of the
 * transcript before any other, since agents show the same block twice. Without such a place the window is appended.
 */
import type { Row } from "./row.ts";

export interface Merge {
  /** Rows of the transcript before it stay; what follows replaces the rest. */
  readonly at: number;
  readonly rows: readonly Row[];
  /** So many of `rows`, in front, are not those that stood in their place. */
  readonly changed: number;
  /** So many of `rows` are shown; something may cover those behind. */
  readonly shown: number;
  /** Nothing in the window was known: rows in between may never have been seen. */
  readonly isApart: boolean;
}

export interface MergePlace {
  /** Index in the transcript at which the window begins if rows kept their numbers; null where there are none. */
  readonly hint: number | null;
  /** Where the window before began; tried first, because most frames change little. */
  readonly likely: number | null;
  /** Rows before it were wrapped for another width. */
  readonly otherWidthTo?: number;
  /** What stands before it is a welcome, which agents draw again. */
  readonly finalFrom?: number;
}

interface Merging {
  readonly transcript: readonly Row[];
  readonly window: readonly Row[];
  /** Rows of it were acknowledged by a later prompt, which begins at `to`: they do not change any more. */
  readonly final: { readonly from: number; readonly to: number; readonly isAnswered: boolean };
}

/** So much of what is final must be shown in its place. */
const FINAL_SHARE_MIN = 0.8;
/** So much of what is shared must be the same at the end of the transcript: what comes twice is found there first. */
const END_SHARE_MIN = 0.6;

interface Diagonal {
  readonly shift: number;
  weight: number;
  matches: number;
  first: number;
  last: number;
}

/** Rows that stand behind the last common one are kept where the window ends with it: something covers them. */
export function mergeRows(
  transcript: readonly Row[],
  window: readonly Row[],
  { hint, likely, otherWidthTo = 0, finalFrom = 0 }: MergePlace,
): Merge {
  if (transcript.length === 0 || window.length === 0) {
    const at = transcript.length;
    return { at, rows: window, changed: 0, shown: window.length, isApart: false };
  }
  const to = transcript.findLastIndex((_, index) => beginsPrompt(transcript, index));
  const isAnswered = transcript
    .slice(to)
    .some(({ role }) => role === null || role === "assistant" || role === "tool-call");
  const merging: Merging = { transcript, window, final: { from: Math.max(otherWidthTo, finalFrom), to, isAnswered } };
  const still = stillDiagonal(transcript, window, hint ?? likely);
  if (still !== null && keepsFinal(merging, still)) return merged(merging, still);
  const diagonals = diagonalsOf(transcript, window);
  const safe = diagonals.filter((diagonal) => keepsFinal(merging, diagonal, topShift(diagonals, diagonal)));
  const last = safe.find((diagonal) => isAtEnd(merging, diagonal));
  const best = last ?? safe[0];
  const hinted = hint === null ? undefined : diagonals.find(({ shift }) => shift === hint);
  if (hint !== null && hinted !== undefined && isRepeated(transcript.slice(hint), window))
    return merged(merging, hinted);
  const numbered = hint === null ? undefined : (hinted ?? { shift: hint, weight: 0, matches: 0, first: -1, last: -1 });
  if (numbered !== undefined && keepsFinal(merging, numbered))
    if (best === undefined || best.weight <= 2 * numbered.weight || best.matches < 3) return merged(merging, numbered);
  if (best === undefined || (last === undefined && !isCredible(best, transcript, window)))
    return { at: transcript.length, rows: window, changed: 0, shown: window.length, isApart: true };
  return merged(merging, best, topShift(diagonals, best));
}

/** A prompt begins at `index`, by its mark, or as the first of several rows without marks. */
export const beginsPrompt = (rows: readonly Row[], index: number): boolean =>
  rows[index]?.role === "user" && (rows[index]?.isStart || rows[index - 1]?.role !== "user");

/**
 * Returns whether nearly all final rows whose place is in the window are shown there. Rows of the last turn that are the same count as
 * well; those that differ have changed since.
 */
function keepsFinal({ transcript, window, final }: Merging, { shift, first }: Diagonal, top = shift): boolean {
  if (top !== shift && !showsPrompts(transcript.slice(Math.max(top, final.from, 0), final.to), window)) return false;
  let rows = 0;
  let same = 0;
  let welcome = 0;
  for (const [index, row] of window.entries()) {
    const at = index + (index < first ? top : shift);
    const known = transcript[at];
    if (known === undefined || known.key === "" || row.role === "covered") continue;
    if (known.role === "skip" || known.role === "notice") continue;
    const isSame = known.key === row.key;
    if (at < final.from && isSame) welcome += 1;
    if (at < final.from) continue;
    // What has an answer was not taken back: another prompt in its place is a later one, or, behind the welcome, one of a new conversation.
    const isAnswered = (at < final.to || final.isAnswered) && !(at === final.from && welcome > 0);
    if (isAnswered && beginsPrompt(transcript, at) && row.role === "user" && !isPart(known.key, row.key)) return false;
    if (isSame || at < final.to) rows += 1;
    if (isSame) same += 1;
  }
  return same >= FINAL_SHARE_MIN * rows;
}

/** One is drawn in parts, or something is drawn over its first characters. */
const isPart = (one: string, other: string): boolean =>
  one.startsWith(other) || other.startsWith(one) || one.endsWith(other) || other.endsWith(one);

/** Each prompt in `known` is shown, in order; something can be drawn over the first characters of a row. */
export function showsPrompts(known: readonly Row[], window: readonly Row[]): boolean {
  let next = 0;
  return known.every(({ key }, index) => {
    if (!beginsPrompt(known, index)) return true;
    const at = window.findIndex((row, place) => place >= next && row.key.endsWith(key));
    next = at + 1;
    return at !== -1;
  });
}

/** Most of what the window and the transcript would share is the same, and some of it is of the last turn. */
function isAtEnd({ transcript, window, final: { to } }: Merging, { shift, last }: Diagonal): boolean {
  if (shift + last < to) return false;
  let shared = 0;
  let same = 0;
  for (const [index, row] of window.entries()) {
    const known = transcript[index + shift];
    if (known === undefined || known.key === "" || row.key === "" || row.role === "covered") continue;
    shared += weightOf(row);
    // A row that is drawn in parts grows.
    if (row.key.startsWith(known.key)) same += weightOf(row);
  }
  return same >= 1 && same >= END_SHARE_MIN * shared;
}

/**
 * Final rows stay as they are, whatever the window draws in their place: it counts from the last prompt on that stands where it stood.
 * Prompts that moved are waiting in a queue, and what is above them still grows.
 */
function withFinal(
  { transcript, final: { from, to } }: Merging,
  { shift }: Diagonal,
  top: number,
  merge: Merge,
): Merge {
  const { at, rows } = merge;
  const hidden = Math.max(0, -top);
  if (top === shift && at === Math.max(0, shift) && at + rows.length <= to && at + rows.length > from)
    return { ...merge, rows: numbered(transcript.slice(at), rows) };
  for (let prompt = to; prompt > Math.max(at, from); prompt -= 1) {
    if (!beginsPrompt(transcript, prompt)) continue;
    const places = [prompt - shift - hidden, prompt - top - hidden];
    const place = places.find((index) => rows[index]?.role === "user" && rows[index].key === transcript[prompt]?.key);
    if (place === undefined) continue;
    // Rows that were never seen before are shown between them.
    if (place > prompt - at && isWithin(transcript.slice(at, prompt), rows.slice(0, place))) return merge;
    const welcome = place === prompt - at ? rows.slice(0, Math.max(0, from - at)) : [];
    const kept = transcript.slice(at + welcome.length, prompt);
    const final = place === prompt - at ? numbered(kept, rows.slice(welcome.length)) : kept;
    return {
      ...merge,
      rows: [...welcome, ...final, ...rows.slice(place)],
      shown: merge.shown + prompt - at - place,
    };
  }
  if (top !== shift) return merge;
  // Something covers a prompt, and the others have moved.
  const isHidden = (index: number): boolean =>
    index >= from && index < to && !showsPrompts(transcript.slice(index, index + 1), rows);
  return { ...merge, rows: rows.map((row, index) => (isHidden(at + index) ? (transcript[at + index] ?? row) : row)) };
}

/** All of `known` is in `rows`, in order. */
function isWithin(known: readonly Row[], rows: readonly Row[]): boolean {
  let next = 0;
  return known.every(({ key }) => {
    if (key === "") return true;
    const at = rows.findIndex((row, index) => index >= next && row.key === key);
    next = at + 1;
    return at !== -1;
  });
}

/** Rows of the normal screen have the numbers that they have now. */
const numbered = (known: readonly Row[], shown: readonly Row[]): Row[] =>
  known.map((row, index) => ({ ...row, line: shown[index]?.line ?? row.line }));

/** All that is known stands where it stood, and ends with a prompt: what follows is its answer, also where it was said before. */
function isRepeated(known: readonly Row[], window: readonly Row[]): boolean {
  const said = known.filter(({ key }) => key !== "");
  return said.at(-1)?.role === "user" && known.every(({ key }, index) => window[index]?.key === key);
}

function merged(merging: Merging, best: Diagonal, top = best.shift): Merge {
  const { transcript, window } = merging;
  const isFinal = best.shift + window.length <= merging.final.to;
  const at = Math.max(0, top === best.shift && !isFinal ? behindSaid(transcript, window, best) : top);
  const lastShown = window.findLastIndex((row) => row.role !== "blank");
  const isCovered = best.last === lastShown && best.last >= 0;
  const behind = isCovered ? transcript.slice(best.shift + best.last + 1) : [];
  const rows = isCovered ? [...window.slice(0, best.last + 1), ...behind] : window;
  const hidden = Math.max(0, -top);
  const shown = (isCovered ? best.last + 1 : window.length) - hidden;
  const changed = top === best.shift ? Math.max(0, best.first - hidden) : 0;
  return withFinal(merging, best, top, { at, rows: rows.slice(hidden), changed, shown, isApart: false });
}

/**
 * Where the window begins if what stands in it below grew: people's words above the first common row are not shown any more, and
 * what is shown there is new.
 */
function behindSaid(transcript: readonly Row[], window: readonly Row[], { shift, first }: Diagonal): number {
  const from = Math.max(0, shift);
  const shown = new Set(window.slice(0, first).map(({ text }) => text));
  const said = transcript.findLastIndex(
    ({ role, text }, index) =>
      index >= from &&
      index < shift + first &&
      role === "user" &&
      text !== "" &&
      !shown.has(text) &&
      window[index - shift]?.role !== "covered",
  );
  return said === -1 ? shift : said + 1;
}

/** The diagonal at `shift`, where the first row and most of the others are the same there. */
function stillDiagonal(transcript: readonly Row[], window: readonly Row[], shift: number | null): Diagonal | null {
  if (shift === null || shift < 0) return null;
  const diagonal: Diagonal = { shift, weight: 0, matches: 0, first: -1, last: -1 };
  let rows = 0;
  for (const [index, row] of window.entries()) {
    if (row.key === "" || row.role === "covered") continue;
    rows += 1;
    if (transcript[index + shift]?.key !== row.key) {
      if (diagonal.first === -1) return null;
      continue;
    }
    if (diagonal.first === -1) diagonal.first = index;
    diagonal.last = index;
    diagonal.weight += weightOf(row);
    diagonal.matches += 1;
  }
  return diagonal.matches >= 3 && diagonal.matches >= 0.7 * rows ? diagonal : null;
}

/** Pairs of equal rows, counted by how far they are shifted; the heaviest first, of equals the one that scrolls least. */
function diagonalsOf(transcript: readonly Row[], window: readonly Row[]): Diagonal[] {
  const places = new Map<string, number[]>();
  for (const [index, row] of transcript.entries()) {
    if (row.key === "") continue;
    const known = places.get(row.key);
    if (known === undefined) places.set(row.key, [index]);
    else known.push(index);
  }
  const diagonals = new Map<number, Diagonal>();
  for (const [index, row] of window.entries()) {
    if (row.key === "" || row.role === "covered") continue;
    const found = places.get(row.key) ?? [];
    const weight = weightOf(row) / Math.max(1, found.length);
    for (const place of found) {
      const shift = place - index;
      const diagonal = diagonals.get(shift) ?? { shift, weight: 0, matches: 0, first: index, last: index };
      diagonal.weight += weight;
      diagonal.matches += 1;
      diagonal.last = index;
      diagonals.set(shift, diagonal);
    }
  }
  return [...diagonals.values()].toSorted((one, other) => other.weight - one.weight || other.shift - one.shift);
}

/** Short rows are alike by chance. */
function weightOf({ key, role }: Row): number {
  if (role === "skip" || role === "notice") return 0.3;
  return Math.min(key.trim().length, 24) / 24;
}

/** Rows above the heaviest diagonal can have kept another shift where something between them grew or was folded. */
function topShift(diagonals: readonly Diagonal[], best: Diagonal): number {
  let top = best;
  for (const diagonal of diagonals.slice(0, 12)) {
    const isAbove = diagonal.last < best.first && diagonal.last + diagonal.shift < best.first + best.shift;
    const isNear = Math.abs(diagonal.shift - best.shift) <= 40 && diagonal.weight >= 0.5;
    if (isAbove && isNear && (top === best || diagonal.weight > top.weight)) top = diagonal;
  }
  return top.shift;
}

/** Enough of what the window and the transcript would share is the same. */
function isCredible(best: Diagonal, transcript: readonly Row[], window: readonly Row[]): boolean {
  if (best.matches >= 3 && best.weight >= 1) return true;
  let shared = 0;
  for (const [index, row] of window.entries()) {
    const known = transcript[index + best.shift];
    // Room that was left free is filled.
    if (row.role !== "blank" && known !== undefined && known.role !== "blank") shared += weightOf(row);
  }
  return best.weight >= 0.3 * shared && best.weight > 0.2;
}
