/** What crossed the terminals of a host, and how long its journals took: plain additions, so that counting costs nothing that is noticed. */
import { bucketOf } from "../core/metrics/metric-set.ts";
import { APPEND_BUCKETS } from "../core/metrics/metric-table.ts";

/** Totals since the host was started, in bytes and seconds. */
export interface HostTotals {
  readonly outputBytes: number;
  readonly inputBytes: number;
  readonly appends: { readonly counts: readonly number[]; readonly sum: number };
}

export class HostCounters {
  outputBytes = 0;
  inputBytes = 0;
  readonly #counts = Array.from({ length: APPEND_BUCKETS.length + 1 }, () => 0);
  #appendMs = 0;

  /** An append to a journal took so long. */
  appended(durationMs: number): void {
    const bucket = bucketOf(durationMs / 1000, APPEND_BUCKETS);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#appendMs += durationMs;
  }

  get totals(): HostTotals {
    const appends = { counts: [...this.#counts], sum: this.#appendMs / 1000 };
    return { outputBytes: this.outputBytes, inputBytes: this.inputBytes, appends };
  }
}
