import assert from "node:assert/strict";
import { test } from "node:test";
import { toolsByName } from "./tool-call.ts";

test("toolsByName keeps the first of two tools with one name and reports the other", () => {
  const first = { name: "ls", schema: { type: "object" } };
  const { tools, repeated } = toolsByName([first, { name: "ls", schema: {} }, { name: "__proto__", schema: null }]);
  assert.equal(tools.get("ls"), first);
  assert.deepEqual([...tools.keys()], ["ls", "__proto__"]);
  assert.deepEqual(repeated, ["ls"]);
});
