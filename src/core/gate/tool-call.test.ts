import assert from "node:assert/strict";
import { test } from "node:test";
import { toolsByName } from "./tool-call.ts";

test("toolsByName keeps the first of two tools with one name and reports the other", () => {
  const first = { name: "ls", inputSchema: { type: "object" } };
  const { tools, repeated } = toolsByName([
    first,
    { name: "ls", inputSchema: {} },
    { name: "__proto__", inputSchema: null },
  ]);
  assert.equal(tools.get("ls"), first);
  assert.deepEqual([...tools.keys()], ["ls", "__proto__"]);
  assert.deepEqual(repeated, ["ls"]);
});
