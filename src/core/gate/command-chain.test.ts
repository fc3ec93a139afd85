import assert from "node:assert/strict";
import { test } from "node:test";
import { analyzeShell } from "./shell.ts";

/** Of each action that surely runs in one other folder than the text: its text and that folder. */
const foldersOf = (text: string): Record<string, string> => {
  const { folders } = analyzeShell(text);
  return Object.fromEntries([...folders].map(([action, folder]) => [action.text, folder]));
};

test("what follows a cd that has succeeded runs in its folder, and a second one leads on", () => {
  assert.deepEqual(foldersOf("mkdir new && cd new && tar xf ../x.tar"), { "tar xf ../x.tar": "new" });
  assert.deepEqual(foldersOf("cd a && cd b && ls"), { "cd b": "a", ls: "a/b" });
});

test("a cd that may have failed, or whose folder is not known, says nothing about what follows", () => {
  for (const text of [
    "cd new; ls",
    "cd new || ls",
    "cd new && ls &",
    "cd .. && ls",
    "cd $x && ls",
    "if cd new; then ls; fi",
  ])
    assert.deepEqual(foldersOf(text), {}, text);
});

test("a chain behind another change of the folder begins nowhere", () => {
  assert.deepEqual(foldersOf("cd other; cd new && ls"), {});
});
