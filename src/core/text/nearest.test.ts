import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, nearestWord } from "./nearest.ts";

const known = ["effect", "tool", "rules", "command", "at"];

test("nearestWord finds the word with a letter missing, added, replaced or swapped", () => {
  for (const [word, expected] of [
    ["efect", "effect"],
    ["rulles", "rules"],
    ["comnand", "command"],
    ["tolo", "tool"],
    ["Tool", "tool"],
    ["ruels", "rules"],
    ["ta", "at"],
  ] as const) {
    assert.equal(nearestWord(word, known), expected, word);
  }
});

test("nearestWord completes a word that only one known word begins with", () => {
  assert.equal(nearestWord("com", known), "command");
  assert.equal(nearestWord("r", ["run", "resize", "rename"]), undefined);
});

test("nearestWord suggests nothing if nothing is near", () => {
  for (const word of ["permission", "x".repeat(200), ""]) assert.equal(nearestWord(word, known), undefined, word);
});

test("didYouMean asks about the nearest word", () => {
  assert.equal(didYouMean("efect", known), 'did you mean "effect"?');
  assert.equal(didYouMean("permission", known), undefined);
});
