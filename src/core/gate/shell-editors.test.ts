import assert from "node:assert/strict";
import { test } from "node:test";
import { isEditor, onlyEdits } from "./shell-editors.ts";
import { literalWord } from "./shell-words.ts";

const edits = (...words: readonly string[]): boolean => onlyEdits(words.map((word) => literalWord(word)));

test("a program that only edits what passes through is told from one that runs or opens something", () => {
  assert.deepEqual([isEditor("gawk"), isEditor("python3")], [true, false]);
  assert.deepEqual([edits("sed", "s/a/b/", "f"), edits("sed", "s/a/b/e", "f")], [true, false]);
  assert.deepEqual([edits("awk", "{print $1}", "f"), edits("awk", "{print | $1}", "f")], [true, false]);
});
