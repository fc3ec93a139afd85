import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { blocksOf, incompleteTailLength, isSecondByte, joinBytes, sequenceLength } from "./bytes.ts";

test("incompleteTailLength counts the beginning of a sequence, and nothing that cannot be completed", () => {
  const cases: readonly (readonly [readonly number[], number])[] = [
    [[], 0],
    [[0x41], 0],
    [[0x41, 0xc3], 1],
    [[0xc3, 0xa9], 0],
    [[0xe2, 0x82], 2],
    [[0xf0, 0x9f, 0x98], 3],
    [[0xf0, 0x9f, 0x98, 0x80], 0],
    [[0xe0, 0x80], 0],
    [[0xed, 0xa0], 0],
    [[0xc0], 0],
    [[0x80], 0],
    [[0xc3, 0x80, 0x80], 0],
  ];
  for (const [bytes, expected] of cases)
    assert.equal(incompleteTailLength(Uint8Array.from(bytes)), expected, bytes.join());
});

test("incompleteTailLength is what a streaming TextDecoder holds back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6 }), (bytes) => {
      const streamed = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
      const whole = bytes.subarray(0, bytes.length - incompleteTailLength(bytes));
      assert.equal(new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole), streamed);
    }),
    { numRuns: 2_000 },
  );
});

test("sequenceLength and isSecondByte know the leads of UTF-8", () => {
  assert.deepEqual([0x41, 0xc1, 0xc2, 0xe0, 0xf4, 0xf5].map(sequenceLength), [1, 1, 2, 3, 4, 1]);
  assert.equal(isSecondByte(0xe0, 0x9f), false);
  assert.equal(isSecondByte(0xe0, 0xa0), true);
});

test("joinBytes does not copy where there is nothing before", () => {
  const chunk = Uint8Array.of(1);
  assert.equal(joinBytes(new Uint8Array(0), chunk), chunk);
  assert.deepEqual(joinBytes(chunk, chunk), Uint8Array.of(1, 1));
});

test("blocksOf cuts into views of the same length, but for the last one", () => {
  assert.deepEqual(
    blocksOf(Uint8Array.of(1, 2, 3, 4, 5), 2).map((block) => Array.from(block)),
    [[1, 2], [3, 4], [5]],
  );
  assert.deepEqual(blocksOf(new Uint8Array(0), 2), []);
});
