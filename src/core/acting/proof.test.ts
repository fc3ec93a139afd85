import assert from "node:assert/strict";
import { test } from "node:test";
import { countEchoes } from "./proof.ts";

test("a text is found in boxes, behind prompts and across wraps", () => {
  const screen = "╭────────╮\n│ ❯ please list the fi │\n│   les of src         │\n╰────────╯";
  assert.equal(countEchoes(screen, "please list the files of src"), 1);
  assert.equal(countEchoes("$ ls -la\ntotal 0\n$ ls -la", "ls -la"), 2);
  assert.equal(countEchoes("$ ", "ls"), 0);
});

test("the placeholder of a paste stands for a long text only", () => {
  const screen = "❯ [Pasted text #1 +11 lines]";
  assert.equal(countEchoes(screen, "first line\nsecond line"), 1);
  assert.equal(countEchoes(screen, "short"), 0);
});

test("a text of signs that are decoration is never found", () => {
  assert.equal(countEchoes("$ > |", "$ > |"), 0);
  assert.equal(countEchoes("👍 #1", "#1"), 1);
  assert.equal(countEchoes("👍 #1", "👍"), 1);
});
