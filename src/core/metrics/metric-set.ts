/**
 * The values of the metrics of one process. The number of series is bounded by the table: a label takes the values of its list, or so
 * many different ones, and any other value is counted as `other`.
 */
import {
  metricTable,
  OTHER,
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  type MetricName,
  type MetricRow,
} from "./metric-table.ts";

/** Counts by bucket, without those of smaller buckets; the last one has no upper bound. */
export interface HistogramValue {
  readonly counts: readonly number[];
  readonly sum: number;
}

/** One series of a metric: its label values in the order of the table. */
export interface Series {
  readonly labels: readonly string[];
  readonly value: number | HistogramValue;
}

interface Family {
  readonly row: MetricRow;
  readonly names: readonly string[];
  /** The values that a label with a bounded number has taken so far. */
  readonly taken: ReadonlyMap<string, Set<string>>;
  readonly series: Map<string, { readonly labels: readonly string[]; value: number | MutableHistogram }>;
}

interface MutableHistogram {
  readonly counts: number[];
  sum: number;
}

export class MetricSet {
  readonly #families = new Map<MetricName, Family>();

  add<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, amount = 1): void {
    const series = this.#seriesOf(name, labels);
    if (typeof series.value === "number") series.value += amount;
  }

  /** Replaces the value of a gauge, or of a counter that is counted elsewhere. */
  set<Name extends GaugeName | CounterName>(name: Name, labels: LabelsOf<Name>, value: number): void {
    this.#seriesOf(name, labels).value = value;
  }

  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void {
    const { value: histogram } = this.#seriesOf(name, labels);
    if (typeof histogram === "number") return;
    const bucket = bucketOf(value, metricTable[name].buckets);
    histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
    histogram.sum += value;
  }

  /** Replaces a histogram that is counted elsewhere, by the buckets of the table. */
  setHistogram<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, { counts, sum }: HistogramValue): void {
    this.#seriesOf(name, labels).value = { counts: [...counts], sum };
  }

  /** Forgets all series of a gauge, which are then set anew. */
  clear(name: GaugeName): void {
    this.#families.get(name)?.series.clear();
  }

  /** Those that have a value, in the order of the table. */
  *families(): Generator<readonly [name: MetricName, row: MetricRow, series: Iterable<Series>]> {
    for (const name of Object.keys(metricTable) as MetricName[]) {
      const family = this.#families.get(name);
      if (family !== undefined && family.series.size > 0) yield [name, family.row, family.series.values()];
    }
  }

  #seriesOf(
    name: MetricName,
    given: Readonly<Record<string, string>>,
  ): { readonly labels: readonly string[]; value: number | MutableHistogram } {
    const family = this.#familyOf(name);
    const labels = family.names.map((label) => boundedValue(family, label, given[label] ?? OTHER));
    const key = labels.join("\u0000");
    const known = family.series.get(key);
    if (known !== undefined) return known;
    const { buckets } = family.row;
    const value = buckets === undefined ? 0 : { counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 };
    const fresh = { labels, value };
    family.series.set(key, fresh);
    return fresh;
  }

  #familyOf(name: MetricName): Family {
    const known = this.#families.get(name);
    if (known !== undefined) return known;
    const row: MetricRow = metricTable[name];
    const names = Object.keys(row.labels);
    const taken = new Map(names.map((label): [string, Set<string>] => [label, new Set()]));
    const family: Family = { row, names, taken, series: new Map() };
    this.#families.set(name, family);
    return family;
  }
}

function boundedValue({ row, taken }: Family, label: string, value: string): string {
  const values = row.labels[label];
  if (typeof values !== "number") return values?.includes(value) === true ? value : OTHER;
  const known = taken.get(label);
  if (known === undefined || known.has(value)) return value;
  if (known.size >= values) return OTHER;
  known.add(value);
  return value;
}

/** The bucket of a value: the first whose bound is not below it. */
export function bucketOf(value: number, bounds: readonly number[]): number {
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
  return bucket;
}
