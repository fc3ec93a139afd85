/** Finds the known word nearest to a misspelled one. */

/** At most a third of the letters may differ. */
const isNear = (distance: number, word: string): boolean => distance <= Math.max(1, Math.floor(word.length / 3));

/** Undefined if none is near. A prefix of exactly one known word is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const starting = known.filter((name) => word !== "" && name.startsWith(word));
  if (starting.length === 1) return starting[0];
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(word, name);
    if (isNear(distance, name) && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** Optimal string alignment: letters added, removed, changed or swapped with their neighbour. */
function editDistance(first: string, second: string): number {
  const rows: number[][] = [Array.from({ length: second.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= first.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= second.length; column += 1) {
      const same = first[row - 1] === second[column - 1] ? 0 : 1;
      const swapped = first[row - 1] === second[column - 2] && first[row - 2] === second[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + same,
          swapped && row > 1 && column > 1 ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(first.length, second.length);
}
