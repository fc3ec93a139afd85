/** docs/metrics.md and the files of docs/observability say what the code has, and Prometheus accepts them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { metricTable, type MetricRow } from "../src/core/metrics/metric-table.ts";

const docs = resolve(import.meta.dirname, "../docs");
const read = (file: string): string => readFileSync(join(docs, file), "utf8");
const rows: readonly (readonly [string, MetricRow])[] = Object.entries(metricTable);

test("docs/metrics.md lists each metric as it is in the table", () => {
  const listed = read("metrics.md")
    .split("\n")
    .filter((line) => /^\| `(?:lectern|process|nodejs)_/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));
  const expected = rows.map(([name, { help, labels, type }]) => [
    name,
    Object.keys(labels).join(", "),
    `${help} (${type})`,
  ]);
  assert.deepEqual(
    listed.map((cells) => cells.slice(1, 4)),
    expected,
  );
});

test("the alert rules are valid and do what they say", () => {
  const promtool = (...words: string[]): string =>
    execFileSync("promtool", words, { cwd: join(docs, "observability"), encoding: "utf8", stdio: "pipe" });
  assert.match(promtool("check", "rules", "alerts.yaml"), /5 rules found/);
  assert.match(promtool("test", "rules", "alerts-test.yaml"), /SUCCESS/);
});

test("rules, dashboard and configuration ask only for metrics that exist", () => {
  const suffixes = /_(?:bucket|sum|count)$/;
  for (const file of ["alerts.yaml", "grafana.json"]) {
    const names = new Set(read(`observability/${file}`).match(/\b(?:lectern|process|nodejs)_[a-z_]+/g));
    for (const name of names)
      assert.ok(
        Object.hasOwn(metricTable, name) || Object.hasOwn(metricTable, name.replace(suffixes, "")),
        `${file}: ${name}`,
      );
  }
  const { panels } = JSON.parse(read("observability/grafana.json")) as { readonly panels: readonly unknown[] };
  assert.ok(panels.length >= 12);
});
