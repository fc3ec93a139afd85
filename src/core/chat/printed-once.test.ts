import assert from "node:assert/strict";
import { test } from "node:test";
import type { Block } from "./blocks.ts";
import { printedOnce } from "./printed-once.ts";

/** `role text`, a block each. */
const blocks = (...texts: string[]): Block[] =>
  texts.map((text, index) => ({
    role: text.split(" ")[0] as Block["role"],
    start: index,
    end: index + 1,
    text: text.slice(text.indexOf(" ") + 1),
    isSummary: false,
    isIncomplete: false,
  }));
const once = (before: readonly string[], ...texts: string[]): string[] =>
  printedOnce(blocks(...texts), before).map(({ role, text }) => `${role} ${text}`);

test("a call that is shown again before the next text is one, with its result", () => {
  assert.deepEqual(once(["Shell ls"], "tool-call Shell ls", "tool-result a", "tool-call Shell pwd"), [
    "tool-call Shell pwd",
  ]);
  assert.deepEqual(once(["Shell ls"], "assistant Again:", "tool-call Shell ls"), [
    "assistant Again:",
    "tool-call Shell ls",
  ]);
});

test("an answer that the next one repeats and goes on with is a copy", () => {
  const answer = "assistant This answer is certainly longer than forty characters are";
  assert.deepEqual(once([], answer, `${answer} and goes on`), [`${answer} and goes on`]);
  assert.deepEqual(once([], "assistant Yes", "assistant Yes"), ["assistant Yes", "assistant Yes"]);
});
