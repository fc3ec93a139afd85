/** How alike two texts are, whatever a renderer did to their marks, spaces and wraps. */

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
