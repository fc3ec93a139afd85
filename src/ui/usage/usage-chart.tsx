/** Bars, one for each day: cost if there is any, else tokens. The table has the same figures, by day. */
import type { ReactElement } from "react";
import type { UsageRow } from "../../core/usage/usage-report.ts";
import { costWords, tokenWords } from "../../core/usage/usage-words.ts";

const HEIGHT = 100;
/** A bar and its gap, in the units of the drawing. */
const STEP = 10;
const BAR = 7;
/** Beyond it a bar is thinner than a pixel of a phone. */
const DAYS_MAX = 92;

export function UsageChart({ rows }: { readonly rows: readonly UsageRow[] }): ReactElement {
  const shown = rows.slice(-DAYS_MAX);
  const isCost = shown.some(({ costUsd }) => costUsd > 0);
  const sizeOf = (row: UsageRow): number => (isCost ? row.costUsd : row.input + row.output);
  const wordsOf = (row: UsageRow): string => (isCost ? costWords(row) : `${tokenWords(sizeOf(row))} tokens`);
  const most = shown.reduce((largest, row) => (sizeOf(row) > sizeOf(largest) ? row : largest));
  const [first] = shown;
  const last = shown.at(-1);
  // Without a gap after the last one.
  const width = shown.length * STEP - (STEP - BAR);
  return (
    <figure className="usage-chart">
      <figcaption>{`${isCost ? "Cost" : "Tokens"} by day, at most ${wordsOf(most)} on ${most.key ?? ""}`}</figcaption>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {shown.map((row, index) => {
          const height = sizeOf(most) === 0 ? 0 : Math.max(1, (sizeOf(row) / sizeOf(most)) * HEIGHT);
          return (
            <rect key={row.key} x={index * STEP} y={HEIGHT - height} width={BAR} height={height}>
              <title>{`${row.key ?? ""}: ${wordsOf(row)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="usage-axis" aria-hidden="true">
        <span>{first?.key}</span>
        <span>{last?.key}</span>
      </div>
    </figure>
  );
}
