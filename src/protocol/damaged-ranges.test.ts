import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeDamagedRanges, encodeDamagedRanges } from "./damaged-ranges.ts";

test("ranges come back from the text of the trailer, and no trailer gives none", () => {
  const ranges = [
    { from: 0, to: 5 },
    { from: 70, to: 2 ** 40 },
  ];
  assert.equal(encodeDamagedRanges(ranges), "0-5, 70-1099511627776");
  assert.deepEqual(decodeDamagedRanges(encodeDamagedRanges(ranges)), ranges);
  assert.deepEqual(decodeDamagedRanges(undefined), []);
});

test("the last of many ranges reaches to the end of all", () => {
  const ranges = Array.from({ length: 150 }, (_, index) => ({ from: index * 10, to: index * 10 + 1 }));
  const decoded = decodeDamagedRanges(encodeDamagedRanges(ranges));
  assert.equal(decoded.length, 100);
  assert.deepEqual(decoded.at(-1), { from: 990, to: 1491 });
});
