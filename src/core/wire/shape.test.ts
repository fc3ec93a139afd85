import assert from "node:assert/strict";
import { test } from "node:test";
import { asCount, asIndex, asList, asName, asObject, asText } from "./shape.ts";

const values = [undefined, null, true, 0, -1, 1.5, NaN, "", "a", [], {}];
const taken = (look: (value: unknown) => unknown): unknown[] => values.filter((value) => look(value) !== undefined);

test("each look takes only its own shape", () => {
  assert.deepEqual(taken(asObject), [{}]);
  assert.deepEqual(taken(asText), ["", "a"]);
  assert.deepEqual(taken(asName), ["a"]);
  assert.deepEqual(taken(asIndex), [0, -1]);
  assert.deepEqual(taken(asCount), [0, 1.5]);
  assert.deepEqual(asList([1]), [1]);
  assert.deepEqual(asList({ length: 1 }), []);
});
