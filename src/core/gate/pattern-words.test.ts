import assert from "node:assert/strict";
import { test } from "node:test";
import { patternsAt } from "./pattern-words.ts";
import { literalWord, unknownWord } from "./shell-words.ts";

const at = (text: string): readonly number[] =>
  patternsAt(text.split(" ").map((word) => (word.startsWith("$") ? unknownWord(word) : literalWord(word))));

test("the pattern of a search and the program of an editor are told from files", () => {
  for (const [text, expected] of [
    ["grep a b", [1]],
    ["grep -rn --include=*.ts a b", [3]],
    ["rg -n a b", [2]],
    ["rg --hidden a", [2]],
    ["sed -n p f", [2]],
    ["sed -i.bak s/a/b/ f", [2]],
    ["sed -n -e p -e q f", [3, 5]],
    ["awk -F , p f", [3]],
    ["awk -F, p f", [2]],
    ["awk -v a=b c", [3]],
    ["grep -A 3 a b", [3]],
    ["grep -e a b", [2]],
    ["rg -t py a", [3]],
    ["sed -e -e p f", [2]],
  ] as const)
    assert.deepEqual(at(text), expected, text);
});

test("it is not known behind a word that is not read, and it is no word of its own behind an option that gives it", () => {
  for (const text of [
    "grep a -f b",
    "grep $a b",
    "rg --files a",
    "sed --expression=p f",
    "sed -f a b",
    "awk -f a b",
    "cat a",
    "grep -n",
  ])
    assert.deepEqual(at(text), [], text);
});
