import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ReplicaCoverage } from "./replica-coverage.ts";
import type { StoredHeader } from "./replica-message.ts";

let sequence = 0;
const message = (from: number, next: number, epoch = 1): StoredHeader => ({
  epoch,
  epochStart: 0,
  from,
  offset: from,
  next,
  rawBytes: next - from,
  crc: 0,
  sequence: ++sequence,
});

function coverageOf(...messages: readonly StoredHeader[]): ReplicaCoverage {
  const coverage = new ReplicaCoverage();
  for (const one of messages) coverage.add(one);
  return coverage;
}

test("a replica without messages has no end", () => {
  const coverage = new ReplicaCoverage();
  assert.deepEqual([coverage.epoch, coverage.end, coverage.lastSequence], [0, undefined, 0]);
});

test("the end is where the first range ends, whatever lies behind a hole", () => {
  assert.equal(coverageOf(message(0, 10), message(10, 20)).end, 20);
  const holed = coverageOf(message(0, 10), message(30, 40), message(20, 31));
  assert.deepEqual([holed.end, holed.furthest?.next], [10, 40]);
  holed.add(message(5, 25));
  assert.equal(holed.end, 40);
});

test("a higher epoch replaces lower ones, and late messages of those do not count", () => {
  const coverage = coverageOf(message(0, 50), message(0, 10, 2), message(50, 60, 1));
  assert.deepEqual([coverage.epoch, coverage.end, coverage.furthest?.next], [2, 10, 10]);
  assert.equal(coverage.lastSequence, sequence);
});

test("a replica in very many pieces is scattered", () => {
  const coverage = new ReplicaCoverage();
  for (let at = 0; at < 300; at++) coverage.add(message(at * 10, at * 10 + 5));
  assert.ok(coverage.isScattered);
});

test("the order of messages does not matter", () => {
  const range = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 10 }));
  fc.assert(
    fc.property(fc.array(range, { minLength: 1 }), (ranges) => {
      const covered = new Set(ranges.flatMap(([from, length]) => Array.from({ length }, (_, at) => from + at)));
      let end = Math.min(...covered);
      while (covered.has(end)) end += 1;
      assert.equal(coverageOf(...ranges.map(([from, length]) => message(from, from + length))).end, end);
    }),
  );
});
