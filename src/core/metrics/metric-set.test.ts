import assert from "node:assert/strict";
import { test } from "node:test";
import { bucketOf, MetricSet } from "./metric-set.ts";

const seriesOf = (metrics: MetricSet): Record<string, unknown> =>
  Object.fromEntries(
    [...metrics.families()].flatMap(([name, , series]) =>
      [...series].map(({ labels, value }) => [[name, ...labels].join(" "), value]),
    ),
  );

test("counters add up by their labels, gauges are replaced", () => {
  const metrics = new MetricSet();
  metrics.add("lectern_prompts_total", { outcome: "done" });
  metrics.add("lectern_prompts_total", { outcome: "done" }, 2);
  metrics.add("lectern_prompts_total", { outcome: "failed" });
  metrics.set("lectern_viewers", {}, 3);
  metrics.set("lectern_viewers", {}, 1);
  assert.deepEqual(seriesOf(metrics), {
    "lectern_prompts_total done": 3,
    "lectern_prompts_total failed": 1,
    lectern_viewers: 1,
  });
});

test("a value that is not in the list of its label is counted as other", () => {
  const metrics = new MetricSet();
  metrics.add("lectern_prompts_total", { outcome: "exploded" });
  assert.deepEqual(seriesOf(metrics), { "lectern_prompts_total other": 1 });
});

test("10,000 models make no more series than the label may have, and those seen first keep theirs", () => {
  const metrics = new MetricSet();
  for (let index = 0; index < 10_000; index++) metrics.add("lectern_gateway_cost_usd_total", { model: `m${index}` });
  metrics.add("lectern_gateway_cost_usd_total", { model: "m0" });
  const series = seriesOf(metrics);
  assert.equal(Object.keys(series).length, 61);
  assert.equal(series["lectern_gateway_cost_usd_total m0"], 2);
  assert.equal(series["lectern_gateway_cost_usd_total other"], 10_000 - 60);
});

test("a histogram counts each value in its bucket", () => {
  const metrics = new MetricSet();
  for (const value of [0.05, 0.1, 0.2, 1000])
    metrics.observe("lectern_gateway_ttfb_seconds", { route: "anthropic" }, value);
  const { counts, sum } = Object.values(seriesOf(metrics))[0] as { counts: number[]; sum: number };
  assert.deepEqual([counts.slice(0, 3), counts.at(-1), Math.round(sum)], [[2, 1, 0], 1, 1000]);
  assert.deepEqual([bucketOf(1, [1, 2]), bucketOf(1.5, [1, 2]), bucketOf(3, [1, 2])], [0, 1, 2]);
});

test("what is counted elsewhere replaces a histogram, and a cleared gauge has no series", () => {
  const metrics = new MetricSet();
  metrics.setHistogram("lectern_journal_append_seconds", {}, { counts: [1, 2], sum: 3 });
  metrics.set("lectern_sessions", { state: "running", status: "working" }, 1);
  metrics.clear("lectern_sessions");
  assert.deepEqual(seriesOf(metrics), { lectern_journal_append_seconds: { counts: [1, 2], sum: 3 } });
});
