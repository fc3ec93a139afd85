import assert from "node:assert/strict";
import { test } from "node:test";
import { executedLater } from "./executed-later.ts";

test("no place is named twice, none is in another one, and none leads out of its directory", () => {
  const names = executedLater.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) {
    assert.doesNotMatch(name, /^\/|\/$|(?:^|\/)\.\.?(?:\/|$)/);
    assert.ok(!names.some((other) => name.startsWith(`${other}/`)), name);
  }
});
