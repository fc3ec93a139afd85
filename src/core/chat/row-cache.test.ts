import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { drawn } from "../agents/drawn-frame.test.ts";
import { RowCache } from "./row-cache.ts";

const rules = builtInAgents.chatOf("pi", "") ?? assert.fail();

test("the same line is another row where it opens a block, and keeps its text under another number", () => {
  const rows = new RowCache(rules);
  const [line] = drawn(["{=} some words"]).lines;
  assert.ok(line);
  const opening = rows.read(line, 40, { number: 3, opensBlock: true });
  assert.deepEqual([opening.role, opening.isStart, opening.text, opening.line], ["user", true, "some words", 3]);
  const following = rows.read(line, 40, { number: 4, opensBlock: false });
  assert.deepEqual([following.role, following.behindCall, following.line], [null, "tool-result", 4]);
});
