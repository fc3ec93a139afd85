/**
 * Anchor and merge, on rows: where what is shown now belongs in what was seen so far.
 *
 * A window shows the end of a transcript that scrolls, grows at its end and changes near it. The rows that both have say where the
 * window begins; from there on it replaces what was known.
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

interface Diagonal {
  readonly shift: number;
  weight: number;
  matches: number;
  first: number;
  last: number;
}

/**
 * `hint`: index in the transcript at which the window begins if rows kept their numbers; null where there are none. `likely`: where
 * the one before began; tried first, because most frames change little.
 * Rows that stand behind the last common one are kept where the window ends with it: something covers them.
 */
export function mergeRows(
  transcript: readonly Row[],
  window: readonly Row[],
  { hint, likely }: { readonly hint: number | null; readonly likely: number | null },
): Merge {
  if (transcript.length === 0 || window.length === 0) {
    const at = transcript.length;
    return { at, rows: window, changed: 0, shown: window.length, isApart: false };
  }
  const still = stillDiagonal(transcript, window, hint ?? likely);
  if (still !== null) return merged(transcript, window, still, still.shift);
  const diagonals = diagonalsOf(transcript, window);
  const [best] = diagonals;
  const hinted = hint === null ? undefined : diagonals.find(({ shift }) => shift === hint);
  if (hint !== null && hinted !== undefined && isAnswered(transcript.slice(hint), window))
    return merged(transcript, window, hinted, hint);
  if (hint !== null && (best === undefined || best.weight <= 2 * (hinted?.weight ?? 0) || best.matches < 3))
    return merged(transcript, window, hinted ?? { shift: hint, weight: 0, matches: 0, first: -1, last: -1 }, hint);
  if (best === undefined || !isCredible(best, transcript, window))
    return { at: transcript.length, rows: window, changed: 0, shown: window.length, isApart: true };
  return merged(transcript, window, best, topShift(diagonals, best));
}

/** All that is known stands where it stood, and ends with a prompt: what follows is its answer, also where it was said before. */
function isAnswered(known: readonly Row[], window: readonly Row[]): boolean {
  const said = known.filter(({ key }) => key !== "");
  return said.at(-1)?.role === "user" && known.every(({ key }, index) => window[index]?.key === key);
}

function merged(transcript: readonly Row[], window: readonly Row[], best: Diagonal, top: number): Merge {
  const at = Math.max(0, top === best.shift ? behindSaid(transcript, window, best) : top);
  const lastShown = window.findLastIndex((row) => row.role !== "blank");
  const isCovered = best.last === lastShown && best.last >= 0;
  const behind = isCovered ? transcript.slice(best.shift + best.last + 1) : [];
  const rows = isCovered ? [...window.slice(0, best.last + 1), ...behind] : window;
  const hidden = Math.max(0, -top);
  const shown = (isCovered ? best.last + 1 : window.length) - hidden;
  const changed = top === best.shift ? Math.max(0, best.first - hidden) : 0;
  return { at, rows: rows.slice(hidden), changed, shown, isApart: false };
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
