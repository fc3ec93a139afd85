import assert from "node:assert/strict";
import { test } from "node:test";
import { afterRounds, directoryAfter, usesSearchPath, type Directories } from "./shell-directories.ts";
import { literalWord } from "./shell-words.ts";

const after = (directories: Directories, text: string, repeats = false): Directories =>
  directoryAfter(
    directories,
    text.split(" ").map((word) => literalWord(word)),
    repeats,
  );

test("a change of folder adds candidates and removes none", () => {
  assert.deepEqual(after([], "ls x"), []);
  assert.deepEqual(after([], "cd /a"), ["/a"]);
  assert.deepEqual(after(["/a"], "cd b"), ["/a", "b", "/a/b"]);
  assert.deepEqual(after(["/a"], "cd -P -- .."), ["/a", "..", "/"]);
});

test("what cannot be told stays unknown", () => {
  for (const text of ["cd -", "popd", "pushd", "pushd +1", "cd a b"]) assert.equal(after([], text), null, text);
  assert.equal(after(null, "cd /a"), null);
  assert.equal(after([], "cd a", true), null);
  assert.deepEqual(after([], "cd /a", true), ["/a"]);
});

test("usesSearchPath is true for names that bash looks for in CDPATH", () => {
  const uses = (text: string): boolean => usesSearchPath(text.split(" ").map((word) => literalWord(word)));
  for (const text of ["cd a", "cd a/b", "cd -P a", "pushd a", "cd .a", "cd ..a"]) assert.equal(uses(text), true, text);
  for (const text of ["cd", "cd /a", "cd ~/a", "cd ./a", "cd ../a", "cd .", "cd ..", "ls a"])
    assert.equal(uses(text), false, text);
});

test("find leaves open where it runs a command in the folder of each file", () => {
  assert.equal(after([], "find /etc -execdir touch x ;"), null);
  assert.deepEqual(after([], "find . -exec touch x ;"), []);
});

test("more candidates than the limit are unknown", () => {
  let directories: Directories = [];
  for (let round = 0; round < 9; round += 1) directories = after(directories, `cd /${round}`);
  assert.equal(directories, null);
});

test("a subshell of a loop begins in any folder of the text", () => {
  const move = (...texts: readonly string[]): ReturnType<typeof literalWord>[][] =>
    texts.map((text) => text.split(" ").map((word) => literalWord(word)));
  assert.deepEqual(afterRounds(["/b"], [move("cd a"), move("cd c")]), ["/b", "a", "/b/a", "c", "/b/c"]);
  assert.deepEqual(afterRounds([], [move("cd a", "cd b")]), ["a", "b", "a/b"]);
  assert.equal(afterRounds([], [move("cd -")]), null);
  assert.equal(afterRounds(null, []), null);
});
