import assert from "node:assert/strict";
import { test } from "node:test";
import { eventKey } from "./event-key.ts";

test("eventKey is the same for another layout, and another for another name or payload", () => {
  assert.equal(eventKey("A", '{"a": [1,\n 2]}'), eventKey("A", '{"a":[1,2]}'));
  assert.equal(eventKey("A", "{ broken"), eventKey("A", "{bro\nken"));
  assert.notEqual(eventKey("A", "1"), eventKey("B", "1"));
  assert.notEqual(eventKey("A", '"a b"'), eventKey("A", '"ab"'));
});
