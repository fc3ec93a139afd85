/** The known word that a mistyped one probably means, for error messages. */

const WORD_CHARS_MAX = 64;

/**
 * The end of an error message about an unknown word; undefined if no known word is near, see `nearestWord`.
 * `didYouMean("efect", ["effect", "tool"]); // 'did you mean "effect"?'`
 */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? undefined : `did you mean "${nearest}"?`;
}

/**
 * The only known word that begins with `word`, else the nearest one by edit distance (insert, remove, replace, swap neighbours), in any
 * case; undefined if that differs by more than 2 edits, or by more than a third of the longer word.
 * `nearestWord("efect", ["effect", "tool"]); // "effect"`
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const completions = known.filter((candidate) => word !== "" && candidate.startsWith(word));
  if (completions.length === 1) return completions[0];
  let nearest: string | undefined;
  let best = Infinity;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    const isNear = distance <= Math.max(1, Math.min(2, Math.floor(Math.max(word.length, candidate.length) / 3)));
    if (isNear && distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Optimal string alignment distance. */
function editDistance(left: string, right: string): number {
  if (left.length > WORD_CHARS_MAX || right.length > WORD_CHARS_MAX) return Infinity;
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current.push(
        Math.min(
          (current[column - 1] ?? 0) + 1,
          (above[column] ?? 0) + 1,
          (above[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = above;
    above = current;
  }
  return above[right.length] ?? Infinity;
}
