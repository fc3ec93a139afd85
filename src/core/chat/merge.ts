/**
 * Anchor and merge, on rows: where what is shown now belongs in what was seen so far.
 *
 * Law: the rows before `final`, which a later prompt has acknowledged, never change. Behind them a window is aligned in order, each row
 * at most once: from the last acknowledged prompt on where that is shown, else from the end of what is known backwards. An alignment
 * counts only if nearly all of its rows agree or it reaches the end; without one, the window is appended behind a gap. On the alternate
 * screen, where rows have no numbers, a place without evidence (`proof.ts`) is doubtful: what it changes is marked incomplete.
 */
import { alignRows, isSaid, weightOf, type Alignment, type Pair } from "./align-rows.ts";
import { isKnown, isRedrawn, provenTop, showsRow } from "./proof.ts";
import { letters } from "./revision.ts";
import type { Row } from "./row.ts";

export interface Merge {
  /** Rows of the transcript before it stay; what follows replaces the rest. */
  readonly at: number;
  readonly rows: readonly Row[];
  /** Where the first row of the window stands; it may be final, or have left. */
  readonly top: number;
  /** So many of `rows`, in front, are not those that stood in their place. */
  readonly changed: number;
  /** So many of `rows` are shown; something may cover those behind. */
  readonly shown: number;
  /** Nothing in the window was known: rows in between may never have been seen. */
  readonly isApart: boolean;
  /** Nothing shows that no rows were missed before the window, or only that most of the end of what was known stands in it. */
  readonly doubt?: "all" | "end" | null;
  /** It goes on where the end of what was known is shown, and each row agrees. */
  readonly isClean: boolean;
  /** Another place would explain the window as well. */
  readonly hasRival?: boolean;
}

export interface MergePlace {
  /** Rows before it are final: there begins the last prompt that was acknowledged. */
  readonly final: number;
  /** Where the window before began; tried first, because most frames change little. */
  readonly likely: number | null;
  /** Rows before it were wrapped for another width. */
  readonly otherWidthTo: number;
  /** A blank row stands above the window. */
  readonly isBelowBlank: boolean;
}

/** A possible place of a window: from row `from` of it on it is merged with the rows behind the final ones. */
interface Place {
  readonly from: number;
  readonly pairs: readonly Pair[];
  /** The weight of the rows that agree, also of final ones. */
  readonly weight: number;
  /**
   * The end of what is known is shown; rows near it, and others follow; all of the window is known, and not the end; only the prompt, and
   * not what was known of its answer; or older rows.
   */
  readonly keeps: "end" | "near" | "all" | "prompt" | "old";
  /** All rows above are final ones. */
  readonly isBelowFinal?: boolean;
}

/** So much of what an alignment covers must agree if it reaches the end, and so much if it does not. */
const END_SHARE_MIN = 0.6;
const CLEAN_SHARE_MIN = 0.95;
const INSIDE_SHARE_MIN = 0.8;
/** The end of what is known is one of so many rows that say something: the last ones may have changed. */
const END_ROWS_MAX = 8;
/** Rows above the window that may be shown again, where others were folded. */
const ABOVE_ROWS_MAX = 80;
/** So many letters in front of a prompt tell that it is the same one, however they are wrapped. */
const LETTERS_MIN = 24;
/** So many letters of a prompt stand for all of it. */
const PART_LETTERS_MIN = 8;
/** A weight that is not there by chance. */
const WEIGHT_MIN = 1;

export function mergeRows(transcript: readonly Row[], window: readonly Row[], place: MergePlace): Merge {
  const { final, likely } = place;
  if (transcript.length === 0 || window.length === 0) return apart(transcript, window, false);
  const isAlternate = window[0]?.line === -1;
  const proof = isAlternate ? provenTop(transcript, window, place) : null;
  if (proof !== null && proof.top !== null) return mergedAt(transcript, window, { ...place, ...proof, top: proof.top });
  const still = likely === null ? null : stillAt(transcript, window, { shift: likely, final });
  if (still === "final") return { ...apart(transcript, [], false), top: likely ?? 0 };
  if (still !== null) {
    const merge = merged(transcript, window, { ...place, found: still });
    return isAlternate && !merge.isClean ? { ...merge, doubt: proof?.hasRival === true ? "all" : "end" } : merge;
  }
  const numbered = isAlternate ? null : numberedAt(transcript, window, final);
  if (numbered !== null) return merged(transcript, window, { ...place, found: numbered });
  const ends = [...fromEnd(transcript, window, final)];
  const prompts = [...fromPrompt(transcript, window, place)].map((other) => withoutRival(window, other, ends));
  const best = bestOf([...prompts, ...ends]) ?? bestOf([...fromFirstPrompt(transcript, window, place)]);
  // Before anything was asked there is a welcome, which may be drawn anew.
  if (best === null && !transcript.slice(final).some(({ role }) => role === "user"))
    return { ...apart(transcript, window, false), at: final, top: final };
  if (best === null) return apart(transcript, window, true);
  const merge = merged(transcript, window, { ...place, found: best });
  if (!isAlternate || merge.isClean) return merge;
  return { ...merge, doubt: isRedrawn(transcript, window, merge.top) && proof?.hasRival !== true ? "end" : "all" };
}

/** Each row that both have is paired: those of the end that were drawn anew are replaced. */
function mergedAt(
  transcript: readonly Row[],
  window: readonly Row[],
  { top, hasRival, ...place }: MergePlace & { readonly top: number; readonly hasRival: boolean },
): Merge {
  const last = transcript.findLastIndex(isSaid);
  const from = Math.max(0, place.final - top);
  const pairs = window.flatMap((row, index): Pair[] => {
    const known = transcript[top + index];
    const isPair = index >= from && known !== undefined && isSaid(known) && showsRow(known, row, top + index === last);
    return isPair ? [[top + index, index]] : [];
  });
  const merge = merged(transcript, window, { ...place, found: { from, pairs, weight: 0, keeps: "end" } });
  return { ...merge, ...(pairs.length === 0 && { top }), isClean: true, hasRival };
}

/** Rows above the prompt that are final in this place, and that no place of the end explains, make it the place of the end. */
function withoutRival(window: readonly Row[], place: Place, ends: readonly Place[]): Place {
  if (place.keeps !== "prompt" || !place.isBelowFinal) return place;
  const isRival = ({ keeps, pairs }: Place): boolean =>
    keeps === "end" && !window.slice((pairs.at(-1)?.[1] ?? 0) + 1, place.from).some(isSaid);
  return ends.some(isRival) ? place : { ...place, keeps: "end" };
}

function bestOf(places: readonly Place[]): Place | null {
  for (const kinds of [["end"], ["near", "all"], ["prompt"], ["old"]]) {
    let best: Place | null = null;
    for (const place of places)
      if (kinds.includes(place.keeps) && (best === null || place.weight > best.weight)) best = place;
    if (best !== null) return best;
  }
  return null;
}

const apart = (transcript: readonly Row[], rows: readonly Row[], isApart: boolean): Merge => ({
  at: transcript.length,
  top: transcript.length,
  rows,
  changed: 0,
  shown: rows.length,
  isApart,
  isClean: false,
});

/** A prompt begins at `index`, by its mark, or as the first of several rows without marks. */
export const beginsPrompt = (rows: readonly Row[], index: number): boolean =>
  rows[index]?.role === "user" && (rows[index]?.isStart || rows[index - 1]?.role !== "user");

/**
 * The window stands where the one before stood: the first row and most of the others are the same there. `final`: it shows nothing but
 * acknowledged rows, such as those above a menu, however few.
 */
function stillAt(
  transcript: readonly Row[],
  window: readonly Row[],
  { shift, final }: { readonly shift: number; readonly final: number },
): Place | "final" | null {
  if (shift < 0) return null;
  const from = Math.max(0, final - shift);
  const last = transcript.findLastIndex(isSaid);
  const pairs: Pair[] = [];
  let said = 0;
  let weight = 0;
  let same = 0;
  for (const [index, row] of window.entries()) {
    if (row.key === "" || row.role === "covered") continue;
    said += 1;
    const at = index + shift;
    if (row.line !== -1 && transcript[at] !== undefined && transcript[at].line !== row.line) return null;
    if (transcript[at] === undefined || !showsRow(transcript[at], row, at === last)) {
      if (same === 0) return null;
      continue;
    }
    same += 1;
    weight += weightOf(row);
    if (at >= final) pairs.push([at, index]);
  }
  if (from >= window.length) return same === said && transcript.findLast(isSaid)?.role !== "user" ? "final" : null;
  if (same < 3 || same < 0.7 * said) return null;
  // The prompt itself stands there, or is not in the window.
  if (from > 0 && window[from]?.key !== transcript[final]?.key) return null;
  return { from, pairs, weight, keeps: "end" };
}

/** Places in which the last acknowledged prompt is shown, with what was said before it above. */
function* fromPrompt(
  transcript: readonly Row[],
  window: readonly Row[],
  { final, likely, otherWidthTo }: MergePlace,
): Iterable<Place> {
  const prompt = transcript[final];
  if (prompt === undefined || !beginsPrompt(transcript, final)) return;
  const isOtherWidth = final < otherWidthTo;
  const known = transcript.slice(final);
  // Of an answer hardly anything was seen: it is drawn anew below its prompt.
  const stands = weightOfAll(known.slice(1)) < WEIGHT_MIN && likely !== null ? final - likely : -1;
  const whole = weightOfAll(window);
  for (const [from, row] of window.entries()) {
    if (!beginsPrompt(window, from) || !isSamePrompt(prompt, row, isOtherWidth)) continue;
    const above = weightAbove(transcript.slice(0, final), window.slice(0, from)) ?? (isOtherWidth ? 0 : null);
    if (above === null) continue;
    const own = window.slice(from);
    const all = alignRows(known, own);
    const rest = all.pairs.map(([at, index]): Pair => [at + final, index + from]);
    const pairs: Pair[] = rest[0]?.[0] === final && rest[0][1] === from ? rest : [[final, from], ...rest];
    const same = above + all.weight;
    // Such a place is better evidence than rows that may be those of another block.
    const weight = same + (above >= WEIGHT_MIN ? whole : 0);
    if (endsInside(transcript, window, pairs)) {
      const isAnswered = pairs.length > 1 && above >= WEIGHT_MIN && same >= CLEAN_SHARE_MIN * whole;
      if (same >= INSIDE_SHARE_MIN * whole) yield { from, pairs, weight, keeps: isAnswered ? "end" : "all" };
    } else if (reachesEnd(known, all) || sharesLetters(known, own)) yield { from, pairs, weight, keeps: "end" };
    else if (above >= WEIGHT_MIN || final === 0 || from === stands) {
      const isBelowFinal = above >= WEIGHT_MIN && above >= CLEAN_SHARE_MIN * weightOfAll(window.slice(0, from));
      yield { from, pairs, weight, keeps: "prompt", isBelowFinal };
    }
  }
}

/** The first prompt waits for its answer: above it a welcome may be drawn anew, in any number of rows. */
function* fromFirstPrompt(transcript: readonly Row[], window: readonly Row[], { final }: MergePlace): Iterable<Place> {
  const at = transcript.findIndex((_, index) => index >= final && beginsPrompt(transcript, index));
  const prompt = transcript[at];
  if (prompt === undefined || transcript.slice(at).some((row) => isSaid(row) && row.role !== "user")) return;
  const from = window.findIndex((_, index) => beginsPrompt(window, index));
  const shown = window[from];
  if (shown !== undefined && isSamePrompt(prompt, shown, false))
    yield { from: 0, pairs: [[at, from]], weight: weightOf(prompt), keeps: "end" };
}

/** Its prompts are shown, and the last of what is known, or so much of it that only the last rows have changed. */
function reachesEnd(known: readonly Row[], { pairs, weight }: Alignment): boolean {
  const shown = new Set(pairs.map(([at]) => at));
  if (known.some((_, index) => index > 0 && beginsPrompt(known, index) && !shown.has(index))) return false;
  if ((pairs.at(-1)?.[0] ?? -1) >= known.findLastIndex(isSaid)) return true;
  return known.filter(isSaid).length >= END_ROWS_MAX && weight >= END_SHARE_MIN * weightOfAll(known);
}

/** How a conversation began is shown: all of it is printed anew below what stood there. */
function showsStart(transcript: readonly Row[], rows: readonly Row[]): boolean {
  const asked = transcript.findIndex(({ role }) => role === "user");
  const start = new Set(
    transcript
      .slice(0, Math.max(0, asked))
      .filter(isSaid)
      .map(({ key }) => key),
  );
  return rows.some(({ role, key }) => role === "welcome" || start.has(key));
}

/** Rows of the normal screen stand where rows with their numbers do, if most of those are the same. */
function numberedAt(transcript: readonly Row[], window: readonly Row[], final: number): Place | null {
  const shift = transcript.findLastIndex(({ line }) => line !== -1 && line === window[0]?.line);
  if (shift === -1 || showsStart(transcript, window.slice(transcript.length - shift))) return null;
  const last = transcript.findLastIndex(isSaid);
  let both = 0;
  const same = window.flatMap((row, index): Pair[] => {
    const known = transcript[index + shift];
    if (!isSaid(row) || known?.line !== row.line || !isSaid(known)) return [];
    both += 1;
    const isSame = known.key === row.key || (index + shift === last && row.key.startsWith(known.key));
    return isSame ? [[index + shift, index]] : [];
  });
  const pairs = same.filter(([at]) => at >= final);
  if (pairs.length === 0 || same.length < INSIDE_SHARE_MIN * both) return null;
  return { from: Math.max(0, final - shift), pairs, weight: 0, keeps: "end" };
}

/** The window ends with a row behind which more is known: something covers that, or older rows are shown. */
function endsInside(transcript: readonly Row[], window: readonly Row[], pairs: readonly Pair[]): boolean {
  const last = pairs.at(-1);
  return last !== undefined && last[1] >= window.findLastIndex(isSaid) && transcript.findLastIndex(isSaid) > last[0];
}

/** The weight of the rows above that agree with the final ones; null if they are others. */
function weightAbove(final: readonly Row[], above: readonly Row[]): number | null {
  const shown = above.filter(isSaid);
  if (shown.length === 0 || !final.some(isSaid)) return 0;
  // What comes twice is told apart by what stands directly above.
  const [last, shownLast] = [final, above].map((rows) =>
    rows.slice(-END_ROWS_MAX).map(lettersOf).join("").slice(-LETTERS_MIN),
  );
  const { weight } = alignRows(final.slice(-above.length - ABOVE_ROWS_MAX), above);
  const isSame =
    last === shownLast ||
    weight > weightOfAll(above) - WEIGHT_MIN / 100 ||
    (weight >= END_SHARE_MIN * weightOfAll(above) && showsLastPrompts(final, above));
  return isSame ? weight : null;
}

/** The prompts above are the last ones that are final, and there are some. */
function showsLastPrompts(final: readonly Row[], above: readonly Row[]): boolean {
  const [known, shown] = [final, above].map((rows) =>
    rows.filter((_, index) => beginsPrompt(rows, index)).map(lettersOf),
  );
  if (known === undefined || shown === undefined || known.length === 0 || shown.length === 0) return false;
  const last = known.slice(-shown.length);
  return shown.slice(-last.length).every((prompt, index) => prompt === last[index]);
}

/** Places in which the end of what is known stands in the window, or all of the window is known. */
function* fromEnd(transcript: readonly Row[], window: readonly Row[], final: number): Iterable<Place> {
  const first = Math.max(final, transcript.length - window.length - ABOVE_ROWS_MAX);
  const known = transcript.slice(first);
  const table = alignRows(known, window);
  const lastKnown = known.findLastIndex(isSaid);
  const lastShown = window.findLastIndex(isSaid);
  const enough = Math.min(WEIGHT_MIN, END_SHARE_MIN * weightOfAll(known.slice(-window.length)));
  let rest = END_ROWS_MAX;
  for (let at = lastKnown; at >= 0 && rest > 0; at -= 1) {
    const row = known[at];
    if (row === undefined || !isSaid(row)) continue;
    rest -= 1;
    for (let index = window.length - 1; index >= 0; index -= 1) {
      // What stands above the last acknowledged prompt is final.
      if (!table.isPair(at, index) || (index > 0 && at + first === final && beginsPrompt(transcript, final))) continue;
      const weight = table.weightTo(at, index);
      const covered = weightOfAll(window.slice(0, index)) + weightOf(row);
      const above = known.slice(Math.max(0, at - index), at + 1);
      const all = weightOfAll(above.slice(above.findLastIndex(({ role }) => role === "gap") + 1));
      if (weight < END_SHARE_MIN * Math.min(covered, all) || weight < Math.min(WEIGHT_MIN, END_SHARE_MIN * all))
        continue;
      if (index === lastShown && at < lastKnown && weight < INSIDE_SHARE_MIN * covered) continue;
      const isEnd = at === lastKnown && weight >= CLEAN_SHARE_MIN * covered && weight >= enough;
      const pairs = table.pairsTo(at, index).map(([left, right]): Pair => [left + first, right]);
      yield {
        from: 0,
        pairs,
        weight,
        keeps: isEnd ? "end" : index < lastShown ? "near" : "all",
      };
    }
  }
  yield* inside(transcript, window, final);
  yield* sameCall(transcript, window, final);
}

/** A call that is drawn anew with its result, in the rows of the normal screen in which it stood. */
function* sameCall(transcript: readonly Row[], window: readonly Row[], final: number): Iterable<Place> {
  const [first] = window;
  const at = transcript.findLastIndex(({ line }) => line !== -1 && line === first?.line);
  const isCall = (row: Row | undefined): boolean => row?.role === "tool-call" && row.isStart;
  if (at >= final && isCall(first) && isCall(transcript[at]))
    yield { from: 0, pairs: [[at, 0]], weight: 0, keeps: "prompt" };
}

/** All of the window was seen before: it was scrolled back. After a prompt without an answer it may be new. */
function* inside(transcript: readonly Row[], window: readonly Row[], final: number): Iterable<Place> {
  const lastShown = window.findLastIndex(isSaid);
  const last = window[lastShown];
  if (last === undefined || transcript.findLast(isSaid)?.role === "user") return;
  const whole = weightOfAll(window);
  for (let at = transcript.length - 1; at >= 0; at -= 1) {
    if (transcript[at]?.key !== last.key) continue;
    const shift = at - lastShown;
    const pairs: Pair[] = [];
    let weight = 0;
    for (const [index, row] of window.entries()) {
      if (!isSaid(row) || transcript[index + shift]?.key !== row.key) continue;
      weight += weightOf(row);
      if (index + shift >= final) pairs.push([index + shift, index]);
    }
    if (weight < INSIDE_SHARE_MIN * whole || whole < WEIGHT_MIN) continue;
    yield { from: Math.min(window.length, Math.max(0, final - shift)), pairs, weight, keeps: "old" };
    return;
  }
}

/** The rows behind the final ones, as the window has them in this place. */
function merged(
  transcript: readonly Row[],
  window: readonly Row[],
  { final, otherWidthTo, isBelowBlank, found }: MergePlace & { readonly found: Place },
): Merge {
  const { pairs } = found;
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) return apart(transcript, [], false);
  const isInside = endsInside(transcript, window, pairs);
  const hasPrompt = transcript.slice(final).some(({ role }) => role === "user");
  const behind = isInside ? transcript.slice(last[0] + 1) : [];
  const own = isInside ? window.slice(0, last[1] + 1) : window;
  // Above a row behind a gap stand some that are missing.
  const gap = transcript.findLastIndex(({ role }, index) => role === "gap" && index >= final && index < first[0]);
  const isBehindGap = gap >= Math.max(0, otherWidthTo, first[0] - first[1]) && found.from === 0;
  const isBelow = found.from === 0 && first[0] - first[1] < final && !isBehindGap;
  const isNew = found.from > 0 ? final : placeAbove(transcript, { final, first });
  const at = isBehindGap ? gap + 1 : isBelow ? first[0] : isNew;
  const hidden = at - Math.max(final, first[0] - first[1]);
  // What is hidden stands where it stood.
  const isHidden = found.from === 0 && hidden > 0 && !window.slice(0, hidden).some(isSaid);
  const from = isBelow ? first[1] : isHidden ? hidden : found.from;
  const erased = isInside || !hasPrompt ? [] : erasedRows(transcript, window, last);
  const rows = [...own.slice(from, last[1] + 1), ...erased, ...own.slice(last[1] + 1), ...behind];
  const top = at - from;
  const isCut = isBelowBlank && isKnown(transcript[first[0] - first[1] - 1]);
  const isClean = !isCut && !isInside && agrees(transcript, window, found);
  return { at, top, rows, changed: first[1] - from, shown: own.length - from + erased.length, isApart: false, isClean };
}

/** All rows from the first to the last pair are paired, none above is another one, and none of the end has gone. */
function agrees(transcript: readonly Row[], window: readonly Row[], { from, pairs }: Place): boolean {
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) return false;
  const [known, shown] = [transcript.slice(first[0]), window.slice(from, last[1] + 1)];
  return known.filter(isSaid).length === pairs.length && shown.filter(isSaid).length === pairs.length;
}

/** Known rows of an answer that are missing in front of what comes next: what is complete does not become shorter. */
function erasedRows(transcript: readonly Row[], window: readonly Row[], [at, index]: Pair): readonly Row[] {
  const place = window.findIndex((row, other) => other > index && isSaid(row));
  const [last, next] = [transcript[at], window[place]];
  if (last === undefined || next === undefined || last.role === "user" || !goesBehind(last, next)) return [];
  const rest = transcript.slice(at + 1);
  // It may have been shown further down, as one that waits.
  const isNext = (row: Row): boolean =>
    lettersOf(row).startsWith(lettersOf(next)) ||
    (beginsPrompt(window, place) ? row.role === "user" : goesBehind(last, row));
  const end = rest.findIndex((row) => isSaid(row) && isNext(row));
  const erased = end === -1 ? rest : rest.slice(0, end);
  return erased.slice(0, erased.findLastIndex(isSaid) + 1);
}

/** Another message begins with `next`. */
const goesBehind = (last: Row, next: Row): boolean => next.isStart || (next.role !== null && next.role !== last.role);

/** Where the window begins if what stands above its first known row is new: it does not replace a prompt. */
function placeAbove(transcript: readonly Row[], { final, first: [at, index] }: { final: number; first: Pair }): number {
  const from = Math.max(final, at - index);
  const prompt = transcript.findLastIndex((row, place) => place >= final && place < at && row.role === "user");
  if (prompt < from) {
    // Rows of a prompt without a mark follow it.
    return from;
  }
  return prompt + 1;
}

/** Something may be drawn over its first characters, and the screen may cut its end. */
function isSamePrompt(one: Row, other: Row, isOtherWidth: boolean): boolean {
  if (one.key === other.key || one.text === other.text) return true;
  const [left, right] = [lettersOf(one), lettersOf(other)].toSorted((first, second) => first.length - second.length);
  if (left === undefined || right === undefined || left === "") return false;
  return right.startsWith(left)
    ? isOtherWidth || left.length >= PART_LETTERS_MIN
    : right.endsWith(left) && left.length >= PART_LETTERS_MIN;
}

/** Most of what is known of the answer is shown, in order, drawn or wrapped in another way. */
function sharesLetters(known: readonly Row[], window: readonly Row[]): boolean {
  const all = window.map(lettersOf).join("");
  const parts = known
    .slice(1)
    .map((row) => lettersOf(row).slice(0, LETTERS_MIN))
    .filter(({ length }) => length >= PART_LETTERS_MIN);
  let next = 0;
  let found = 0;
  for (const part of parts) {
    const at = all.indexOf(part, next);
    if (at === -1) continue;
    found += 1;
    next = at + part.length;
  }
  return found >= END_SHARE_MIN * parts.length;
}

const weightOfAll = (rows: readonly Row[]): number =>
  rows.reduce((sum, row) => (isSaid(row) ? sum + weightOf(row) : sum), 0);

const lettersOf = ({ role, text }: Row): string =>
  role === "skip" || role === "notice" || role === "covered" || role === "gap" ? "" : letters(text);
