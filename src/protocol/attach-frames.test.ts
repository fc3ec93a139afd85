import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBinaryFrame, decodeInput, encodeBinaryFrame, encodeInput, type BinaryFrame } from "./attach-frames.ts";

const offset = fc.maxSafeNat();
const size = fc.integer({ min: 1, max: 65_535 });
const frame: fc.Arbitrary<BinaryFrame> = fc.oneof(
  fc.record({ type: fc.constant("output" as const), offset, bytes: fc.uint8Array() }),
  fc.record({
    type: fc.constant("snapshot" as const),
    offset,
    columns: size,
    rows: size,
    text: fc.string({ unit: "grapheme" }),
  }),
  fc.record({ type: fc.constant("gap" as const), offset, to: offset, reason: fc.string() }),
);

test("a binary frame comes back from its bytes as it was", () => {
  fc.assert(fc.property(frame, (given) => assert.deepEqual(decodeBinaryFrame(encodeBinaryFrame(given)), { ...given })));
});

test("a frame that is cut short or of an unknown type is undefined, never an exception", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
      const decoded = decodeBinaryFrame(bytes);
      if (bytes.length < 9 || bytes[0]! > 2) assert.equal(decoded, undefined);
    }),
  );
});

test("input comes back from its frame, and another type is refused", () => {
  assert.deepEqual(decodeInput(encodeInput(Uint8Array.of(3, 0, 255))), Uint8Array.of(3, 0, 255));
  assert.equal(decodeInput(Uint8Array.of(1, 2)), undefined);
  assert.equal(decodeInput(new Uint8Array()), undefined);
});
