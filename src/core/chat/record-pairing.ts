/**
 * Which message of the screen an entry of the agent's own record is.
 *
 * Law: pairs keep the order of both sides and have the same role. Order and time pair; a text only rejects, because agents say the same thing
 * many times. What was paired once stays so.
 */
import type { MessageRole } from "./message.ts";
import { letters } from "./revision.ts";

export interface ScreenMessage {
  readonly id: string;
  readonly role: MessageRole;
  readonly text: string;
  /** When it was first and last seen to change, microseconds since the Unix epoch. */
  readonly timeUs: number;
  readonly endTimeUs: number;
  /** Parts of it are missing. */
  readonly isIncomplete: boolean;
}

/** The same as the record has it. */
export interface RecordedMessage {
  readonly role: MessageRole;
  readonly text: string;
  readonly tool?: string | undefined;
  /** When it was said; null if the record does not say so, or if its clock cannot be right. */
  readonly timeUs: number | null;
  /** The message that it is; null if that is not known yet. */
  readonly message: string | null;
}

/** Further apart than this, only messages that are nearly the same are one. */
const APART_US_MAX = 20_000_000;
const LIKENESS_MIN = 0.45;
/** Less alike than this, the two say different things of the same message. */
const AGREEMENT_MIN = 0.8;
/** So much less counts a pair whose times are as far apart as they may be. */
const TIME_WEIGHT = 0.4;

interface Numbered<Kind> {
  readonly index: number;
  readonly item: Kind;
}

/** Indices into both lists, which are in order. Those that are paired already are not among them. */
export function pairRecord(
  shown: readonly ScreenMessage[],
  recorded: readonly RecordedMessage[],
): (readonly [shown: number, recorded: number])[] {
  const places = new Map(shown.map(({ id }, index) => [id, index]));
  const paired = new Set(recorded.flatMap(({ message }) => message ?? []));
  const pairs: [number, number][] = [];
  let from = 0;
  let waiting: Numbered<RecordedMessage>[] = [];
  const close = (to: number): void => {
    const free = shown
      .slice(from, Math.max(from, to))
      .map((item, offset) => ({ index: from + offset, item }))
      .filter(({ item }) => !paired.has(item.id));
    pairs.push(...aligned(free, waiting));
    waiting = [];
  };
  for (const [index, item] of recorded.entries()) {
    const place = item.message === null ? undefined : places.get(item.message);
    if (item.message === null) waiting.push({ index, item });
    // One that is no longer kept, or stands out of order, bounds nothing.
    if (place === undefined || place < from) continue;
    close(place);
    from = place + 1;
  }
  close(shown.length);
  return pairs;
}

/** The heaviest pairs that keep both orders. */
function aligned(
  shown: readonly Numbered<ScreenMessage>[],
  recorded: readonly Numbered<RecordedMessage>[],
): [number, number][] {
  const columns = recorded.length + 1;
  const weights = shown.map((one) => recorded.map((other) => pairWeight(one.item, other.item)));
  /** `best[i * columns + j]`: of those from `shown[i]` and `recorded[j]` on. */
  const best = new Float64Array((shown.length + 1) * columns);
  const at = (i: number, j: number): number => best[i * columns + j] ?? 0;
  for (let i = shown.length - 1; i >= 0; i -= 1)
    for (let j = recorded.length - 1; j >= 0; j -= 1)
      best[i * columns + j] = Math.max(at(i + 1, j), at(i, j + 1), (weights[i]?.[j] ?? 0) + at(i + 1, j + 1));
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < shown.length && j < recorded.length;) {
    const weight = weights[i]?.[j] ?? 0;
    // Of equal ones the earlier.
    if (weight > 0 && at(i, j) === weight + at(i + 1, j + 1)) {
      pairs.push([shown[i]?.index ?? 0, recorded[j]?.index ?? 0]);
      i += 1;
      j += 1;
    } else if (at(i, j) === at(i + 1, j)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** 0 for two that cannot be one message; else at most 1. */
function pairWeight(shown: ScreenMessage, recorded: RecordedMessage): number {
  if (shown.role !== recorded.role) return 0;
  const apartUs = apart(shown, recorded.timeUs);
  // The name of a tool and its input are drawn in every agent's own way, and of a result only some rows are shown.
  const isOfTool = shown.role === "tool-call" || shown.role === "tool-result";
  const like = isOfTool ? toolLikeness(shown, recorded) : saidLikeness(shown, recorded);
  if (apartUs > APART_US_MAX && like < AGREEMENT_MIN) return 0;
  if (!isOfTool && like < LIKENESS_MIN) return 0;
  const late = Math.min(1, apartUs / APART_US_MAX);
  return Math.max(like, 0.5) - TIME_WEIGHT * late;
}

/** 0 while it was on its way to the screen. */
const apart = ({ timeUs, endTimeUs }: ScreenMessage, saidUs: number | null): number =>
  saidUs === null ? 0 : Math.max(0, timeUs - saidUs, saidUs - endTimeUs);

/** Of a message whose parts are missing, what is there must be in the record; one whose end is missing may not know it. */
function saidLikeness(shown: ScreenMessage, recorded: RecordedMessage): number {
  const like = likeness(shown.text, recorded.text);
  if (like >= AGREEMENT_MIN) return like;
  const begun = letters(shown.text);
  const isBegun = begun !== "" && letters(recorded.text).startsWith(begun);
  const share = shown.isIncomplete ? shareWithin(shown.text, recorded.text) * AGREEMENT_MIN : 0;
  return Math.max(like, share, isBegun ? LIKENESS_MIN : 0);
}

function toolLikeness({ role, text }: ScreenMessage, recorded: RecordedMessage): number {
  const said = role === "tool-call" ? `${recorded.tool ?? ""} ${recorded.text}` : recorded.text;
  return shareWithin(text, said);
}

// How alike two texts are, whatever a renderer did to their marks, spaces and wraps.

/** Longer texts are compared by their beginning. */
const WORDS_MAX = 2000;

/** Words of letters and digits, and single signs of scripts without spaces. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    words.push(word);
    if (words.length >= WORDS_MAX) break;
  }
  // A text of signs alone, such as "???", is one word.
  return words.length === 0 ? [text.trim()] : words;
}

/** Each word with the one behind it, with how often it comes. */
function pairsOf(words: readonly string[]): Map<string, number> {
  const pairs = new Map<string, number>();
  for (const [index, word] of ["", ...words].entries()) {
    const pair = `${word} ${words[index] ?? ""}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function overlapOf(
  one: string,
  other: string,
): { readonly common: number; readonly left: number; readonly right: number } {
  const [left, right] = [wordsOf(one), wordsOf(other)];
  const counts = pairsOf(left);
  let common = 0;
  for (const [pair, count] of pairsOf(right)) common += Math.min(count, counts.get(pair) ?? 0);
  return { common, left: left.length + 1, right: right.length + 1 };
}

/** The share of word pairs that both have: 1 for the same words in the same order, 0 for none in common. */
export function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const { common, left, right } = overlapOf(one, other);
  return (2 * common) / (left + right);
}

/** The share of the word pairs of `part` that `whole` has. */
export function shareWithin(part: string, whole: string): number {
  const { common, left } = overlapOf(part, whole);
  return common / left;
}
