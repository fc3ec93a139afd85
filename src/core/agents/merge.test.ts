import assert from "node:assert/strict";
import { test } from "node:test";
import { merged } from "./merge.ts";

test("maps are merged key by key, lists and values are replaced", () => {
  const base = { a: { x: 1, y: [1, 2] }, b: 1 };
  assert.deepEqual(merged(base, { a: { y: [3] }, b: 2 }), { a: { x: 1, y: [3] }, b: 2 });
});

test("new rules come before the known ones, which keep their order", () => {
  const rules = merged({ rules: { one: 1, two: 2 } }, { rules: { two: 3, zero: 0 } })["rules"];
  assert.deepEqual(Object.entries(rules as object), [
    ["zero", 0],
    ["one", 1],
    ["two", 3],
  ]);
});

test("null takes a key away, also one that was not there", () => {
  assert.deepEqual(merged({ a: { x: 1, y: 2 }, b: 1 }, { a: { x: null }, b: null, c: null }), { a: { y: 2 } });
});
