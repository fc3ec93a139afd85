import assert from "node:assert/strict";
import { test } from "node:test";
import { SkippedOutput } from "./skipped-output.ts";

test("each further break leaves out four times as much, until a checkpoint is behind all of it", () => {
  const skipped = new SkippedOutput();
  skipped.strike({ from: 0, to: 4096 });
  skipped.strike({ from: 8192, to: 12_288 });
  skipped.strike({ from: 0, to: 0 });
  assert.deepEqual(skipped.broken, [
    { from: 0, to: 4096 },
    { from: 8192, to: 24_576 },
  ]);
  skipped.pass(10_000);
  assert.deepEqual([skipped.broken.length, skipped.strikes], [1, 3]);
  skipped.pass(24_576);
  assert.deepEqual([skipped.broken.length, skipped.strikes], [0, 0]);
});

test("bytes that are skipped again after a rebuild count once", () => {
  const skipped = new SkippedOutput();
  skipped.count({ from: 0, to: 100 });
  skipped.count({ from: 50, to: 80 });
  skipped.count({ from: 50, to: 150 });
  assert.equal(skipped.bytes, 150);
});
