import assert from "node:assert/strict";
import { test } from "node:test";
import { metricTable, type MetricRow } from "./metric-table.ts";

const rows: readonly (readonly [string, MetricRow])[] = Object.entries(metricTable);

test("names have base units, and only counters end in _total", () => {
  for (const [name, { type }] of rows) {
    assert.match(name, /^[a-z][a-z0-9_]*$/);
    assert.equal(name.endsWith("_total"), type === "counter", name);
    assert.doesNotMatch(name, /_(?:ms|milliseconds|minutes|kb|mb|percent)(?:_|$)/, name);
  }
});

test("no label names a session, and each has a finite number of values", () => {
  for (const [name, { labels }] of rows) {
    for (const [label, values] of Object.entries(labels)) {
      assert.doesNotMatch(label, /^(?:session|id|name|pid|token|path)$/, `${name}: ${label}`);
      const count = typeof values === "number" ? values : values.length;
      assert.ok(count > 0 && count <= 100, `${name}: ${label} has ${count} values`);
    }
  }
});

test("the table bounds the number of series", () => {
  const most = rows.map(([, { labels, buckets = [] }]) => {
    const series = Object.values(labels).reduce<number>(
      (product, values) => product * ((typeof values === "number" ? values : values.length) + 1),
      1,
    );
    return series * (buckets.length === 0 ? 1 : buckets.length + 3);
  });
  const total = most.reduce((sum, series) => sum + series, 0);
  assert.ok(total < 8000, `${total} series`);
});

test("buckets rise", () => {
  for (const [name, { buckets = [] }] of rows)
    assert.deepEqual(
      buckets,
      buckets.toSorted((one, other) => one - other),
      name,
    );
});
