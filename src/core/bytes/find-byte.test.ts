import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findByte } from "./find-byte.ts";

test("finds what indexOf of a typed array finds", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), fc.integer({ min: 0, max: 255 }), fc.nat(25), (bytes, byte, from) => {
      assert.equal(findByte(bytes, byte, from), bytes.indexOf(byte, from));
    }),
  );
});

test("searches only the view of a larger memory", () => {
  const view = Uint8Array.of(1, 2, 3, 2).subarray(1, 3);
  assert.equal(findByte(view, 2, 0), 0);
  assert.equal(findByte(view, 2, 1), -1);
  assert.equal(findByte(view, 1, 0), -1);
});
