import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { decodeIndex, encodeIndex, SegmentIndex, type IndexEntry } from "./segment-index.ts";

const entries: readonly IndexEntry[] = [1, 2, 3, 4].map((n) => ({
  offset: n * 2 ** 40,
  position: n * 70_000,
  timeUs: 1_790_000_000_000_000 + n,
}));

test("an index comes back from its bytes", () => {
  assert.deepEqual(decodeIndex(encodeIndex(entries)), entries);
});

test("a damaged or cut index gives the entries before the damage", () => {
  const bytes = encodeIndex(entries);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const damaged = bytes.slice();
      damaged[at]! ^= mask;
      assert.deepEqual(decodeIndex(damaged), entries.slice(0, Math.floor(at / 32)));
      assert.deepEqual(decodeIndex(bytes.subarray(0, at)), entries.slice(0, Math.floor(at / 32)));
    }),
  );
});

test("entries that do not ascend end an index", () => {
  const [first, second] = entries;
  assert.deepEqual(decodeIndex(encodeIndex([second!, first!])), [second]);
});

test("an index without a file finds the start of the segment, and learns from a walk", (context) => {
  const index = new SegmentIndex(temporaryDirectory(context), 500);
  assert.deepEqual(index.find(9999), { offset: 500, position: 0 });
  index.learn({ offset: 500, position: 0 });
  index.learn({ offset: 600, position: 65_535 });
  index.learn({ offset: 700, position: 65_536 });
  assert.deepEqual(index.find(699), { offset: 500, position: 0 });
  assert.deepEqual(index.find(700), { offset: 700, position: 65_536 });
  assert.deepEqual(index.last, { offset: 700, position: 65_536 });
});
