/**
 * The two text formats of metrics: Prometheus 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/) and OpenMetrics 1.0
 * (https://prometheus.io/docs/specs/om/open_metrics_spec/).
 */
import type { MetricSet, Series } from "./metric-set.ts";
import type { MetricRow } from "./metric-table.ts";

export type MetricsFormat = "prometheus" | "openmetrics";

export const metricsContentTypes: Readonly<Record<MetricsFormat, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/**
 * The format that a reader with this `Accept` header prefers; Prometheus 0.0.4 if it names neither.
 * `metricsFormat("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"); // "openmetrics"`
 */
export function metricsFormat(accept: string | undefined): MetricsFormat {
  let best: MetricsFormat = "prometheus";
  let bestQuality = -1;
  for (const range of (accept ?? "").toLowerCase().split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const valueOf = (name: string): string | undefined =>
      parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
    const version = valueOf("version") ?? "1.0.0";
    const isOpen = type === "application/openmetrics-text" && version === "1.0.0";
    const isPlain = type === "text/plain" || type === "text/*" || type === "*/*";
    const quality = Number(valueOf("q") ?? 1);
    if ((!isOpen && !isPlain) || !(quality > bestQuality)) continue;
    best = isOpen ? "openmetrics" : "prometheus";
    bestQuality = quality;
  }
  return best;
}

/** All metrics that have a value. */
export function renderMetrics(metrics: Pick<MetricSet, "families">, format: MetricsFormat): string {
  const lines: string[] = [];
  for (const [name, row, series] of metrics.families()) {
    const family = familyName(name, row, format);
    lines.push(`# HELP ${family} ${escapedHelp(row.help, format)}`, `# TYPE ${family} ${typeName(row, format)}`);
    for (const one of series) lines.push(...linesOf({ name, row, format }, one));
  }
  if (format === "openmetrics") lines.push("# EOF");
  return `${lines.join("\n")}\n`;
}

/** OpenMetrics names a family without the suffix of its samples. */
function familyName(name: string, { type }: MetricRow, format: MetricsFormat): string {
  if (format === "prometheus") return name;
  if (type === "counter") return name.replace(/_total$/, "");
  return type === "info" ? name.replace(/_info$/, "") : name;
}

/** 0.0.4 does not know `info`. */
const typeName = ({ type }: MetricRow, format: MetricsFormat): string =>
  type === "info" && format === "prometheus" ? "gauge" : type;

function linesOf(
  { name, row, format }: { readonly name: string; readonly row: MetricRow; readonly format: MetricsFormat },
  { labels, value }: Series,
): string[] {
  const pairs = Object.keys(row.labels).map((label, index): readonly [string, string] => [label, labels[index] ?? ""]);
  if (typeof value === "number") return [`${name}${labelText(pairs)} ${numberText(value)}`];
  let total = 0;
  const buckets = value.counts.map((count, index) => {
    total += count;
    const bound = row.buckets?.[index];
    const le = bound === undefined ? "+Inf" : boundText(bound, format);
    return `${name}_bucket${labelText([...pairs, ["le", le]])} ${total}`;
  });
  return [
    ...buckets,
    `${name}_sum${labelText(pairs)} ${numberText(value.sum)}`,
    `${name}_count${labelText(pairs)} ${total}`,
  ];
}

const labelText = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.length === 0 ? "" : `{${pairs.map(([label, value]) => `${label}="${escapedValue(value)}"`).join(",")}}`;

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/** OpenMetrics wants a bound to be a decimal number. */
const boundText = (bound: number, format: MetricsFormat): string =>
  format === "openmetrics" && Number.isInteger(bound) ? `${bound}.0` : String(bound);

const escapedValue = (value: string): string =>
  value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

function escapedHelp(help: string, format: MetricsFormat): string {
  const escaped = help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return format === "openmetrics" ? escaped.replaceAll('"', '\\"') : escaped;
}
