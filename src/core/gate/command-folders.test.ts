import assert from "node:assert/strict";
import { test } from "node:test";
import { foldersOf } from "./command-folders.ts";
import { literalWord, unknownWord } from "./shell-words.ts";

const folders = (text: string): readonly (string | undefined)[] =>
  foldersOf(text.split(" ").map((word) => (word === "$x" ? unknownWord(word) : literalWord(word)))).folders;

test("foldersOf finds the folders that a program changes to, in every spelling and in their order", () => {
  assert.deepEqual(folders("git -C a -C ../b status"), ["a", "../b"]);
  assert.deepEqual(folders("/usr/bin/make -Ca --directory=b --dir c"), ["a", "b", "c"]);
  assert.deepEqual(folders("tar -xC a -f b"), ["a"]);
  assert.deepEqual(folders("tar xfC b a"), ["a"]);
  assert.deepEqual(folders("npm --prefix ../a test"), ["../a"]);
  assert.deepEqual(folders("grep -C 3 x"), []);
  assert.deepEqual(folders("git status"), []);
});

test("foldersOf leaves open what it cannot tell", () => {
  assert.deepEqual(folders("git -C $x status"), [undefined]);
  assert.equal(folders(`make ${"-C .. ".repeat(20)}`).at(-1), undefined);
});
