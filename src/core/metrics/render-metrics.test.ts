import assert from "node:assert/strict";
import { test } from "node:test";
import { MetricSet } from "./metric-set.ts";
import { metricsFormat, renderMetrics } from "./render-metrics.ts";

const some = (): MetricSet => {
  const metrics = new MetricSet();
  metrics.set("lectern_build_info", { version: "1.2.3" }, 1);
  metrics.add("lectern_gateway_cost_usd_total", { model: 'a"b\\c\nd' }, 0.5);
  metrics.observe("lectern_approval_wait_seconds", { source: "wire", kind: "permission", answer: "allow" }, 2);
  return metrics;
};

const lines = (format: "prometheus" | "openmetrics"): string[] => renderMetrics(some(), format).split("\n");

test("the text of Prometheus has help, type and one line for each sample, with escaped values", () => {
  const text = lines("prometheus");
  assert.deepEqual(text.slice(0, 3), [
    "# HELP lectern_build_info The version of the daemon",
    "# TYPE lectern_build_info gauge",
    'lectern_build_info{version="1.2.3"} 1',
  ]);
  assert.ok(text.includes("# TYPE lectern_gateway_cost_usd_total counter"));
  assert.ok(text.includes('lectern_gateway_cost_usd_total{model="a\\"b\\\\c\\nd"} 0.5'));
  assert.equal(text.at(-1), "");
  assert.ok(!text.includes("# EOF"));
});

test("OpenMetrics names families without the suffixes of samples, and ends with EOF", () => {
  const text = lines("openmetrics");
  assert.ok(text.includes("# TYPE lectern_build info"));
  assert.ok(text.includes("# TYPE lectern_gateway_cost_usd counter"));
  assert.ok(text.some((line) => line.startsWith("lectern_gateway_cost_usd_total{")));
  assert.deepEqual(text.slice(-2), ["# EOF", ""]);
});

test("buckets are cumulative, and a bound of OpenMetrics is a decimal number", () => {
  const labels = 'source="wire",kind="permission",answer="allow"';
  const of = (format: "prometheus" | "openmetrics"): string[] =>
    lines(format).filter((line) => line.startsWith("lectern_approval_wait_seconds"));
  const plain = of("prometheus");
  assert.deepEqual(plain.slice(0, 2), [
    `lectern_approval_wait_seconds_bucket{${labels},le="1"} 0`,
    `lectern_approval_wait_seconds_bucket{${labels},le="5"} 1`,
  ]);
  assert.deepEqual(plain.slice(-3), [
    `lectern_approval_wait_seconds_bucket{${labels},le="+Inf"} 1`,
    `lectern_approval_wait_seconds_sum{${labels}} 2`,
    `lectern_approval_wait_seconds_count{${labels}} 1`,
  ]);
  assert.equal(of("openmetrics")[0], `lectern_approval_wait_seconds_bucket{${labels},le="1.0"} 0`);
});

test("the format is the one that the reader prefers", () => {
  const ofPrometheus3 =
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
  assert.equal(metricsFormat(ofPrometheus3), "openmetrics");
  assert.equal(metricsFormat("text/plain;version=0.0.4"), "prometheus");
  assert.equal(metricsFormat("application/openmetrics-text;version=2.0.0,*/*;q=0.1"), "prometheus");
  assert.equal(metricsFormat("text/plain;q=0.9,application/openmetrics-text;q=0.1"), "prometheus");
  for (const none of [undefined, "", "*/*", "application/json"]) assert.equal(metricsFormat(none), "prometheus");
});
