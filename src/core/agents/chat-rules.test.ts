import assert from "node:assert/strict";
import { test } from "node:test";
import { compileChat } from "./chat-rules.ts";
import { nativePattern } from "./pattern.ts";

test("what a file does not name has a default", () => {
  const rules = compileChat({ margin: 2 }, { name: "a", agent: "a", compile: nativePattern });
  const { margin, changing, hasPlainAnswers, streamsCalls, printsTwice, pending, breaksBehind } = rules;
  assert.deepEqual([margin, changing, hasPlainAnswers, streamsCalls], [2, null, false, false]);
  assert.deepEqual([printsTwice, pending, breaksBehind], [false, null, null]);
});
