import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration, parseSize } from "./quantities.ts";

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
