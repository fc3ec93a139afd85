import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAttributes } from "./tag-head.ts";

test("parseAttributes reads quoted and bare values", () => {
  assert.deepEqual(parseAttributes(` name="A" nonce='x "y"' \r\n n=1 `), { name: "A", nonce: 'x "y"', n: "1" });
  assert.deepEqual(parseAttributes(""), {});
});

test("parseAttributes keeps the first of two alike and takes no prototype", () => {
  assert.deepEqual(parseAttributes(' name="A" name="B"'), { name: "A" });
  assert.deepEqual(Object.keys(parseAttributes(' toString="x"') ?? {}), ["toString"]);
});

test("parseAttributes refuses what is no list of attributes", () => {
  for (const text of [" name", ' name="A', " =x", 'name="A"', ' name="A"x', " tags are nice"])
    assert.equal(parseAttributes(text), undefined);
});
