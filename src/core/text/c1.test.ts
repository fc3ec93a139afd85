import assert from "node:assert/strict";
import { test } from "node:test";
import { endOfWideText, isC1, widenRawC1 } from "./c1.ts";

const widened = (...bytes: number[]): number[] => [...widenRawC1(Uint8Array.from(bytes))];

test("isC1 looks at the byte behind C2", () => {
  assert.equal(isC1(Uint8Array.of(0xc2, 0x9b), 0), true);
  assert.equal(isC1(Uint8Array.of(0xc2, 0xa3), 0), false);
  assert.equal(isC1(Uint8Array.of(0xc2), 0), false);
});

test("widenRawC1 widens stray bytes from 0x80 to 0x9F and leaves those of letters", () => {
  assert.deepEqual(widened(0x9b, 0x6d), [0xc2, 0x9b, 0x6d]);
  assert.deepEqual(widened(0xe2, 0x9c, 0x9c), [0xe2, 0x9c, 0x9c]);
  assert.deepEqual(widened(0xc3, 0x9b, 0x9b), [0xc3, 0x9b, 0xc2, 0x9b]);
  assert.deepEqual(widened(0xe0, 0x80, 0xa0), [0xe0, 0xc2, 0x80, 0xa0]);
});

test("endOfWideText ends in front of ASCII and of a C1 control", () => {
  assert.equal(endOfWideText(Uint8Array.of(0xc2, 0xa3, 0x61), 0), 2);
  assert.equal(endOfWideText(Uint8Array.of(0xc3, 0xa9, 0xc2, 0x9b), 0), 2);
});
