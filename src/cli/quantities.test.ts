import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAge, formatAgo, formatSize, parseDuration, parseSize } from "./quantities.ts";

test("durations are read with their unit, and as seconds without one", () => {
  const given = ["500ms", "2s", "2", "1.5m", "1h", "1d", "0"].map(parseDuration);
  assert.deepEqual(given, [500, 2000, 2000, 90_000, 3_600_000, 86_400_000, 0]);
  for (const bad of ["", "-1", "s", "1 s", "1e9", "NaN", "5w"]) assert.equal(parseDuration(bad), undefined, bad);
});

test("sizes are read in steps of 1,024", () => {
  const given = ["10", "10B", "64K", "64KiB", "1.5m", "2GB"].map(parseSize);
  assert.deepEqual(given, [10, 10, 65_536, 65_536, 1_572_864, 2_147_483_648]);
  for (const bad of ["", "-1", "K", "1X", "0x10"]) assert.equal(parseSize(bad), undefined, bad);
});

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
