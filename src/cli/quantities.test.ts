import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAge, formatAgo, formatSize } from "./quantities.ts";

test("sizes are shown with at most three digits", () => {
  const shown = [0, 999, 1000, 1024, 10_240, 1_572_864, 5e12].map(formatSize);
  assert.deepEqual(shown, ["0 B", "999 B", "1.0 KB", "1.0 KB", "10 KB", "1.5 MB", "4.5 TB"]);
});

test("times are relative, in the largest whole unit", () => {
  const second = 1000;
  const given = [0, 0.5, 1, 59, 60, 3599, 3600, 86_399, 86_400 * 9];
  const shown = given.map((seconds) => formatAge(0, seconds * second));
  assert.deepEqual(shown, ["now", "now", "1s", "59s", "1m", "59m", "1h", "23h", "9d"]);
  assert.deepEqual([formatAgo(0, 5000), formatAgo(5000, 0), formatAgo(Number.NaN, 0)], ["5s ago", "now", "now"]);
});
