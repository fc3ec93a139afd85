import assert from "node:assert/strict";
import { test } from "node:test";
import { lazily } from "./lazily.ts";

test("a part is made when it is first read, once, and is seen before; one that fails is tried again", () => {
  let made = 0;
  const parts = lazily<{ count: number; wrong: never }>({
    count: () => (made += 1),
    wrong: () => {
      throw new RangeError(`after ${made}`);
    },
  });
  assert.deepEqual(Object.keys(parts), ["count", "wrong"]);
  assert.equal(made, 0);
  assert.throws(() => parts.wrong, /after 0/);
  assert.deepEqual([parts.count, parts.count, made], [1, 1, 1]);
  assert.throws(() => parts.wrong, /after 1/);
});
