import { memo, type ReactElement } from "react";
import { ACTIVITY_SAMPLES, sparklinePath } from "./activity.ts";

const WIDTH = 78;
const HEIGHT = 16;

/** The output of the last seconds. */
export const Sparkline = memo(function Sparkline({ samples }: { readonly samples: readonly number[] }): ReactElement {
  const perSecond = samples.at(-1) ?? 0;
  return (
    <svg
      className="sparkline"
      viewBox={`-1 -1 ${WIDTH + 2} ${HEIGHT + 2}`}
      role="img"
      aria-label={
        samples.length === 0
          ? "No output lately"
          : `Output of the last ${ACTIVITY_SAMPLES} seconds, now ${perSecond} bytes per second`
      }
    >
      {samples.length === 0 ? (
        <path d={`M0 ${HEIGHT}H${WIDTH}`} className="sparkline-flat" />
      ) : (
        <path d={sparklinePath(samples, WIDTH, HEIGHT)} />
      )}
    </svg>
  );
});
