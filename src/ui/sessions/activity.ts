/** How much a session printed in the last seconds, from the ends of its journal as they were seen. */

/** Seconds that a sparkline shows. */
export const ACTIVITY_SAMPLES = 40;
/** A program that printed within this time is active. */
const ACTIVE_MS = 3000;

/** One list, so that a quiet row is not drawn again for it. */
const nothing: readonly number[] = [];

export class ActivityMeter {
  #end: number | undefined;
  #samples: readonly number[] = nothing;
  #changedAtMs: number | undefined;

  /** One look at the journal. Returns the samples; the same list where there is nothing to see and was nothing before. */
  feed(end: number, nowMs: number): readonly number[] {
    const grown = this.#end === undefined ? 0 : Math.max(0, end - this.#end);
    if (grown > 0) this.#changedAtMs = nowMs;
    this.#end = end;
    if (grown === 0 && this.#samples.every((sample) => sample === 0)) return (this.#samples = nothing);
    this.#samples = [...this.#samples, grown].slice(-ACTIVITY_SAMPLES);
    return this.#samples;
  }

  /** One for each of the last looks; empty where nothing was printed. */
  get samples(): readonly number[] {
    return this.#samples;
  }

  isActive(nowMs: number): boolean {
    return this.#changedAtMs !== undefined && nowMs - this.#changedAtMs < ACTIVE_MS;
  }

  /** When it last printed, as far as this page has seen. */
  get changedAtMs(): number | undefined {
    return this.#changedAtMs;
  }
}

/** The line of a sparkline in a box of `width` by `height`: square roots, so that one flood does not flatten all else. */
export function sparklinePath(samples: readonly number[], width: number, height: number): string {
  const most = Math.sqrt(Math.max(1, ...samples));
  const step = width / (ACTIVITY_SAMPLES - 1);
  const whole = [...Array.from({ length: ACTIVITY_SAMPLES - samples.length }, () => 0), ...samples];
  return whole
    .map((sample, index) => {
      const x = index * step;
      const y = height - (Math.sqrt(sample) / most) * height;
      return `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}
