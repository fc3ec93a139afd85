/** The output of a session in the last seconds, from the end of its journal at each sample. */

/** Seconds that a sparkline shows. */
export const ACTIVITY_SAMPLES = 40;
/** A program that printed during this time is active. */
const ACTIVE_MS = 3000;

/** A shared list, so that the row of a quiet session is not rendered again. */
const nothing: readonly number[] = [];

export class ActivityMeter {
  #end: number | undefined;
  #samples: readonly number[] = nothing;
  #changedAtMs: number | undefined;

  /** Adds a sample and returns all of them; the same list as long as there is no output. */
  feed(end: number, nowMs: number): readonly number[] {
    const grown = this.#end === undefined ? 0 : Math.max(0, end - this.#end);
    if (grown > 0) this.#changedAtMs = nowMs;
    this.#end = end;
    if (grown === 0 && this.#samples.every((sample) => sample === 0)) return (this.#samples = nothing);
    this.#samples = [...this.#samples, grown].slice(-ACTIVITY_SAMPLES);
    return this.#samples;
  }

  /** Bytes per sample; empty if nothing was printed. */
  get samples(): readonly number[] {
    return this.#samples;
  }

  isActive(nowMs: number): boolean {
    return this.#changedAtMs !== undefined && nowMs - this.#changedAtMs < ACTIVE_MS;
  }

  /** Time of the last output that this page has observed. */
  get changedAtMs(): number | undefined {
    return this.#changedAtMs;
  }
}

/** The path of a sparkline in a box of `width` by `height`. Uses square roots, so that a flood does not flatten the rest. */
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
