import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HeadTail } from "./head-tail.ts";

test("a short stream is whole", () => {
  const collector = new HeadTail({ headBytesMax: 2, tailBytesMax: 2 });
  collector.feed(Uint8Array.of(1, 2, 3));
  const { head, omittedBytes, tail } = collector.end();
  assert.deepEqual([[...head], omittedBytes, [...tail]], [[1, 2], 0, [3]]);
});

test("a long stream keeps both ends and counts what is between", () => {
  const collector = new HeadTail({ headBytesMax: 2, tailBytesMax: 1 });
  for (const byte of [1, 2, 3, 4, 5]) collector.feed(Uint8Array.of(byte));
  const { head, omittedBytes, tail, totalBytes } = collector.end();
  assert.deepEqual([[...head], omittedBytes, [...tail], totalBytes], [[1, 2], 2, [5], 5]);
});

test("any split of the same bytes gives the same head, tail and count", () => {
  const sizes = fc.integer({ min: 1, max: 20 });
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 15 })), fc.nat(20), sizes, (parts, headBytesMax, tailBytesMax) => {
      const collector = new HeadTail({ headBytesMax, tailBytesMax });
      for (const part of parts) collector.feed(part);
      const { head, omittedBytes, tail, totalBytes } = collector.end();
      const whole = Buffer.concat(parts);
      assert.equal(totalBytes, whole.length);
      assert.equal(head.length + omittedBytes + tail.length, whole.length);
      assert.ok(whole.subarray(0, headBytesMax).equals(head));
      assert.ok(whole.subarray(whole.length - tail.length).equals(tail));
      assert.equal(tail.length, Math.min(tailBytesMax, Math.max(0, whole.length - headBytesMax)));
    }),
  );
});
