import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonValueOf } from "./json-value.ts";

test("what is not JSON has no value", () => {
  assert.deepEqual(jsonValueOf('{"a":[1]}'), { a: [1] });
  assert.equal(jsonValueOf("null"), null);
  assert.equal(jsonValueOf("{"), undefined);
  assert.equal(jsonValueOf(""), undefined);
});
