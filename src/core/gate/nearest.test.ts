import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestWord } from "./nearest.ts";

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

test("nearestWord suggests nothing where nothing is near", () => {
  for (const word of ["permission", "x".repeat(200), ""]) assert.equal(nearestWord(word, known), undefined, word);
});
