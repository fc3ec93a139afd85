import assert from "node:assert/strict";
import { test } from "node:test";
import { readableDetails } from "./question-details.ts";

test("readableDetails says one text plainly, and leaves out nothing of more", () => {
  assert.equal(readableDetails('{"command":"npm test"}'), "command: npm test");
  assert.equal(readableDetails('{"path":"a","text":"b"}'), '{\n  "path": "a",\n  "text": "b"\n}');
  assert.equal(readableDetails("rm -rf build"), "rm -rf build");
  assert.equal(readableDetails("{}"), "{}");
});
