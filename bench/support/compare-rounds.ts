/** Figures of interleaved rounds of two commits: what each comes to, and which became worse. Pure. */
import type { Figure } from "./figure.ts";
import { median } from "./statistics.ts";

/** Share by which a figure may be worse: more fails. */
export const WORSE_SHARE_MAX = 0.15;

/** What a round measured, by the name of the figure. */
export type Round = ReadonlyMap<string, Figure>;

export interface Row {
  readonly figure: Figure;
  /** Medians over the rounds; the one before is NaN if that commit does not have the figure. */
  readonly now: number;
  readonly before: number;
  /** How many times as good as before, the median of the rounds; NaN without a before. */
  readonly ratio: number;
  /** Worse than before by more than `WORSE_SHARE_MAX` at the median, and worse in all rounds but at most one: not noise. */
  readonly isWorse: boolean;
  /** True without a goal. */
  readonly meetsGoal: boolean;
}

/** A row for each figure of this commit, in the order in which they came. */
export function compareRounds(now: readonly Round[], before: readonly Round[]): Row[] {
  const names = new Set(now.flatMap((round) => [...round.keys()]));
  return [...names].map((name) => {
    const pairs = now.map((round, index) => [round.get(name), before[index]?.get(name)] as const);
    const figure = pairs.find(([own]) => own !== undefined)![0]!;
    const ratios = pairs.flatMap(([own, other]) =>
      own === undefined || other === undefined ? [] : [goodness(own) / goodness(other)],
    );
    const value = median(pairs.flatMap(([own]) => own?.value ?? []));
    const ratio = median(ratios);
    const worse = ratios.filter((each) => each < 1).length;
    return {
      figure,
      now: value,
      before: median(pairs.flatMap(([, other]) => other?.value ?? [])),
      ratio,
      isWorse: ratio < 1 / (1 + WORSE_SHARE_MAX) && worse >= Math.max(1, ratios.length - 1),
      meetsGoal: isWithin(figure, value),
    };
  });
}

function isWithin({ better, goal }: Figure, value: number): boolean {
  if (goal === undefined) return true;
  return better === "less" ? value <= goal : value >= goal;
}

/** Below this a difference of two times is none: what a path adds can be measured as less than nothing. */
const LEAST = 1e-6;

function goodness({ value, better }: Figure): number {
  const positive = Math.max(value, LEAST);
  return better === "more" ? positive : 1 / positive;
}
