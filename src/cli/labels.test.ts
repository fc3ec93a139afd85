import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLabel } from "./labels.ts";

test("a label is a key and everything behind the first equals sign", () => {
  assert.deepEqual(parseLabel("a=b=c"), ["a", "b=c"]);
  assert.deepEqual(parseLabel("a="), ["a", ""]);
  assert.equal(parseLabel("a"), undefined);
  assert.equal(parseLabel("=b"), undefined);
});
