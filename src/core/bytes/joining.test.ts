import assert from "node:assert/strict";
import { test } from "node:test";
import { GrowingBytes, splitBytes, joinBytes } from "./joining.ts";

test("joinBytes does not copy where there is nothing before", () => {
  const chunk = Uint8Array.of(1);
  assert.equal(joinBytes(new Uint8Array(0), chunk), chunk);
  assert.deepEqual(joinBytes(chunk, chunk), Uint8Array.of(1, 1));
});

test("splitBytes cuts into views of the same length, but for the last one", () => {
  assert.deepEqual(
    splitBytes(Uint8Array.of(1, 2, 3, 4, 5), 2).map((block) => Array.from(block)),
    [[1, 2], [3, 4], [5]],
  );
  assert.deepEqual(splitBytes(new Uint8Array(0), 2), []);
});

test("GrowingBytes appends parts of bytes, short and long ones, and gives all of them", () => {
  const bytes = new GrowingBytes();
  const long = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
  bytes.append(Uint8Array.of(1, 2, 3), 1, 2);
  bytes.append(long, 100);
  assert.equal(bytes.length, 901);
  assert.deepEqual([bytes.byteAt(0), bytes.byteAt(1), bytes.byteAt(901)], [2, 100, 0]);
  assert.deepEqual(bytes.bytes(), Uint8Array.of(2, ...long.subarray(100)));
});

test("GrowingBytes is empty after clear and take, and what was taken stays as it is", () => {
  const bytes = new GrowingBytes();
  bytes.append(Uint8Array.of(1, 2));
  const taken = bytes.take();
  bytes.append(Uint8Array.of(3));
  assert.deepEqual(taken, Uint8Array.of(1, 2));
  assert.deepEqual(bytes.bytes(), Uint8Array.of(3));
  bytes.clear();
  assert.equal(bytes.length, 0);
});
