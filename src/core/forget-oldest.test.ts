import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetOldest } from "./forget-oldest.ts";

test("forgetOldest removes the first entry of a set or map that is too large", () => {
  const keys = new Set(["a", "b", "c"]);
  forgetOldest(keys, 2);
  assert.deepEqual([...keys], ["b", "c"]);
  const counts = new Map([["a", 1]]);
  forgetOldest(counts, 1);
  assert.equal(counts.size, 1);
});
