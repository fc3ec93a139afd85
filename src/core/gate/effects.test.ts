import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommand, type ProgramEffect } from "./effects.ts";
import { analyzeShell } from "./shell.ts";

/** `write docs/a`, `read/below src`; `?` marks a reading that is only possible. */
function shown({ isPossible, kind, target, tree }: ProgramEffect): string {
  const path = target === null ? "" : ` ${target.value ?? target.path ?? "(unknown)"}`;
  return `${isPossible === true ? "?" : ""}${kind}${tree === undefined ? "" : `/${tree}`}${path}`;
}

function effectsOf(text: string): readonly string[] {
  const [action] = analyzeShell(text).actions;
  assert.ok(action?.type === "command");
  return (readCommand(action.words) ?? assert.fail(`no record: ${text}`)).effects.map(shown);
}

test("options and operands have the effects of the record", () => {
  assert.deepEqual(effectsOf("sort -uo.envrc -T d a - b"), ["write .envrc", "scratch d", "read a", "read b"]);
  assert.deepEqual(effectsOf("cat -n a --help b"), ["read a", "read b"]);
  assert.deepEqual(effectsOf("cat --help"), []);
});

test("git lists branches and tags without a change, and an option that is negated may select another mode", () => {
  for (const text of [
    "git branch",
    "git branch -avv",
    "git branch --list 'x*'",
    "git tag",
    "git tag -n3",
    "git shortlog -sn",
  ])
    assert.deepEqual(effectsOf(text), [], text);
  for (const text of ["git branch x", "git branch -u origin/x", "git branch -m x", "git tag v1"])
    assert.deepEqual(effectsOf(text), ["write .git/index"], text);
  assert.deepEqual(effectsOf("git branch --list --no-list x"), ["unknown --no-list"]);
});

test("a target is a file, or a folder that gets files with the names of the sources", () => {
  assert.deepEqual(effectsOf("cp a b"), ["read a", "write b", "write b/a"]);
  assert.deepEqual(effectsOf("cp -T a b"), ["read a", "write b"]);
  assert.deepEqual(effectsOf("cp -ft.git/hooks pre"), ["read pre", "write .git/hooks/pre"]);
  assert.deepEqual(effectsOf("mv x y z"), ["move/below x", "move/below y", "replace/below z/x", "replace/below z/y"]);
});

test("an option that the record does not have is unknown, with each option that it may be", () => {
  assert.deepEqual(effectsOf("sort --out=x a"), ["unknown --out=x", "?write x", "read a"]);
  assert.deepEqual(effectsOf("sort -zQox a"), ["unknown -zQox", "?write x", "read a"]);
});

test("a computed word does not change the roles of the words around it", () => {
  assert.deepEqual(effectsOf("mv -- $X d"), ["move/below (unknown)", "replace/below d", "replace/below (unknown)"]);
  assert.deepEqual(effectsOf("cp -- a $X"), ["unknown (unknown)"]);
});

test("a tilde that the shell does not replace is part of a name", () => {
  const [action] = analyzeShell("sort -o~/x --output=~/y a").actions;
  assert.ok(action?.type === "command");
  const paths = readCommand(action.words)?.effects.map(({ target }) => target?.path);
  assert.deepEqual(paths, ["./~/x", "./~/y", "a"]);
});

test("a shell runs the file that it is given, and its text is read by itself", () => {
  assert.deepEqual(effectsOf("bash -x ../x.sh a"), ["code ../x.sh"]);
  assert.deepEqual(effectsOf("bash -lc ls"), []);
  assert.deepEqual(effectsOf("bash --rcfile x"), ["unknown --rcfile", "code x"]);
});

test("without the operand that it needs, nothing is known of a program", () => {
  for (const text of ["env", "rm", "git rm"]) assert.ok(effectsOf(text).includes("unknown"), text);
  assert.deepEqual(effectsOf("cat"), []);
});

test("git: a path in a revision, or behind magic, is what is read", () => {
  for (const text of [
    "git show HEAD:a/.env",
    "git cat-file -p :0:a/.env",
    "git log -p -- ':(top)a/.env'",
    "git log :/a/.env",
  ])
    assert.deepEqual(effectsOf(text), ["read a/.env"], text);
  assert.deepEqual(effectsOf("git show HEAD~2"), ["read HEAD~2"]);
});

test("a patch from the input takes names of files from it, and a continued one does not", () => {
  for (const text of ["git apply", "git am", "patch -p1"]) assert.ok(effectsOf(text).includes("names -"), text);
  assert.deepEqual(effectsOf("git am --continue"), ["write .git/index"]);
});

test("git: global folders, subcommands and shared options", () => {
  assert.deepEqual(effectsOf("git -C sub mv a b"), [
    "list sub",
    "move/below sub/a",
    "replace/below sub/b",
    "replace/below sub/b/a",
  ]);
  assert.deepEqual(effectsOf("git reflog --output=f"), ["write f"]);
  assert.deepEqual(effectsOf("git rm --cached a"), ["write .git/index"]);
  assert.deepEqual(effectsOf("git -C sub branch x"), ["list sub", "write sub/.git/index"]);
  assert.deepEqual(effectsOf("git my-alias"), ["code"]);
});

test("what a launcher starts is a command of its own, with its variables", () => {
  const [action] = analyzeShell("env -i A=b rm x").actions;
  assert.ok(action?.type === "command");
  const [launch] = readCommand(action.words)?.launches ?? [];
  assert.ok(launch?.type === "command");
  assert.deepEqual(launch.assigned, [{ name: "A", value: "b" }]);
  assert.deepEqual(
    launch.words.map(({ value }) => value),
    ["rm", "x"],
  );
});

test("a program without a record has no reading", () => {
  const [action] = analyzeShell("no-such-program x").actions;
  assert.ok(action?.type === "command");
  assert.equal(readCommand(action.words), undefined);
});
