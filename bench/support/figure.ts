/** What a bench measured: a line on the terminal and, under `npm run bench`, a row of its table. */

export interface Figure {
  /** Unique among all benches; the row of the table. */
  readonly name: string;
  readonly value: number;
  /** Of the value, as `ms` or `x C`; a ratio to a peer in the same run names the peer. */
  readonly unit: string;
  readonly better: "less" | "more";
  /** None: it only must not become worse. */
  readonly goal?: number;
}

/** Prints the figure, and sends it to the process that started this bench, if one waits for it. */
export function tellFigure(figure: Figure): void {
  const { name, value, unit, better, goal } = figure;
  const bound = better === "less" ? "at most" : "at least";
  console.log(`${name}: ${shown(value)} ${unit}${goal === undefined ? "" : ` (goal ${bound} ${goal})`}`);
  process.send?.({ figure });
}

/** Three digits that matter. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 0.001))));
  return value.toFixed(Math.min(digits, 3));
}
