/** The heaviest alignment of two lists of rows: in order, each row at most once. */
import type { Row } from "./row.ts";

/** The index of a known row and of the row that shows it. */
export type Pair = readonly [at: number, index: number];

export interface Alignment {
  readonly pairs: readonly Pair[];
  readonly weight: number;
  readonly isPair: (at: number, index: number) => boolean;
  /** The weight of the best alignment that ends with this pair. */
  readonly weightTo: (at: number, index: number) => number;
  readonly pairsTo: (at: number, index: number) => Pair[];
}

export function alignRows(known: readonly Row[], shown: readonly Row[]): Alignment {
  const width = shown.length + 1;
  const weights = new Float64Array((known.length + 1) * width);
  const lastKnown = known.findLastIndex(isSaid);
  const isPair = (at: number, index: number): boolean => {
    const [one, other] = [known[at], shown[index]];
    if (one === undefined || other === undefined || !isSaid(one) || !isSaid(other)) return false;
    if (one.key === other.key || (one.role === "user" && other.role === "user" && one.text === other.text)) return true;
    // What is drawn in parts grows at its end.
    return at === lastKnown && one.role === other.role && other.key.startsWith(one.key);
  };
  for (let at = 0; at < known.length; at += 1) {
    const row = known[at];
    for (let index = 0; index < shown.length; index += 1) {
      const above = weights[at * width + index + 1] ?? 0;
      const before = weights[(at + 1) * width + index] ?? 0;
      let best = Math.max(above, before);
      if (row !== undefined && isPair(at, index))
        best = Math.max(best, (weights[at * width + index] ?? 0) + weightOf(row));
      weights[(at + 1) * width + index + 1] = best;
    }
  }
  const weightTo = (at: number, index: number): number => {
    const row = known[at];
    return row === undefined ? 0 : (weights[at * width + index] ?? 0) + weightOf(row);
  };
  const pairsBefore = (toAt: number, toIndex: number): Pair[] => {
    const pairs: Pair[] = [];
    let [at, index] = [toAt, toIndex];
    while (at > 0 && index > 0) {
      const here = weights[at * width + index] ?? 0;
      const isTaken = isPair(at - 1, index - 1) && here === weightTo(at - 1, index - 1);
      if (isTaken) pairs.push([at - 1, index - 1]);
      const isFree = here === (weights[at * width + index - 1] ?? 0);
      if (isTaken || !isFree) at -= 1;
      if (isTaken || isFree) index -= 1;
    }
    return pairs.toReversed();
  };
  return {
    pairs: pairsBefore(known.length, shown.length),
    weight: weights[known.length * width + shown.length] ?? 0,
    isPair,
    weightTo,
    pairsTo: (at, index) => [...pairsBefore(at, index), [at, index]],
  };
}

/** It says something, and is not hidden. */
export const isSaid = ({ key, role }: Row): boolean =>
  key !== "" && role !== "blank" && role !== "covered" && role !== "skip" && role !== "notice";

/** Short rows are alike by chance. */
export const weightOf = ({ key }: Row): number => Math.max(0.05, Math.min(key.length, 24) / 24);
