import assert from "node:assert/strict";
import { test } from "node:test";
import { optionSamples } from "./option-samples.ts";

const samples = (words: string): readonly string[] =>
  optionSamples(words.split(" ")).map(({ phrase, text }) => `${text}: ${phrase}`);

test("each option that writes, runs or deletes is in a command, with what it does", () => {
  assert.deepEqual(samples("sort"), [
    "sort --compress-program ~/.bashrc: runs ~/.bashrc",
    "sort -o ~/.bashrc: writes ~/.bashrc",
  ]);
  assert.deepEqual(samples("git diff"), [
    "git diff --output ~/.bashrc: writes ~/.bashrc",
    "git diff --ext-diff: runs code",
  ]);
  assert.ok(samples("find").includes("find -delete: deletes . and what is below it"));
});

test("a program alone also has its subcommands and a file, if they do more than it does without", () => {
  assert.ok(samples("git").includes("git push: uses the network"));
  assert.deepEqual(samples("sh"), ["sh x: runs code of x"]);
  for (const words of ["cat", "git status", "make", "unknown-program"]) assert.deepEqual(samples(words), [], words);
});
