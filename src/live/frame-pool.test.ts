import assert from "node:assert/strict";
import { test } from "node:test";
import { FramePool } from "./frame-pool.ts";

test("memory is used again only when the owner and every lease have let go", () => {
  const pool = new FramePool(16);
  const first = pool.take(4)!;
  const memory = first.bytes.buffer;
  first.retain();
  first.release();
  assert.notEqual(pool.take(4)!.bytes.buffer, memory);
  first.release();
  const again = pool.take(16)!;
  assert.equal(again.bytes.buffer, memory);
  assert.equal(again.bytes.length, 16);
});

test("a frame that would not fit is refused, and letting go twice is a mistake", () => {
  const pool = new FramePool(16);
  assert.equal(pool.take(17), undefined);
  const frame = pool.take(1)!;
  frame.release();
  assert.throws(() => frame.release(), TypeError);
  assert.throws(() => frame.retain(), TypeError);
});
