import assert from "node:assert/strict";
import { test } from "node:test";
import { opaque } from "./shell-actions.ts";

test("what is not read is shown with visible characters", () => {
  assert.deepEqual(opaque("syntax", "a"), { type: "opaque", reason: "syntax", text: "a" });
  assert.notEqual(opaque("syntax", "a\u202eb").text, "a\u202eb");
});
