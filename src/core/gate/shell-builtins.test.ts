import assert from "node:assert/strict";
import { test } from "node:test";
import { builtinEffects, isPlainNumber, isSteeringVariable } from "./shell-builtins.ts";
import { literalWord, unknownWord } from "./shell-words.ts";

const effects = (text: string): ReturnType<typeof builtinEffects> =>
  builtinEffects(text.split(" ").map((word) => (word.startsWith("$") ? unknownWord(word) : literalWord(word))));

test("builtins tell which variables they set", () => {
  for (const [text, assigned] of [
    ["export A=1 B", ["A", "B"]],
    ["declare -x A+=1", ["A"]],
    ["read -r a b", ["a", "b"]],
    ["printf -v A %s", ["A"]],
    ["printf %s A", []],
    ["unset -f A", ["A"]],
    ["ls A", []],
  ] as const) {
    assert.deepEqual(effects(text), { assigned, unreadable: undefined }, text);
  }
});

test("what may evaluate an index or run a command cannot be told", () => {
  for (const text of [
    "let a",
    "read a[0]",
    "declare -n a",
    "declare $a",
    "hash -p a b",
    "hash $a",
    "jobs -x a",
    "test -v a[0]",
    "[ -R $a",
    "mapfile -C a",
    "printf $a",
  ]) {
    assert.notEqual(effects(text).unreadable, undefined, text);
  }
});

test("a computed value is no computed option", () => {
  const words = [literalWord("declare"), unknownWord("A=$x")];
  assert.deepEqual(builtinEffects(words), { assigned: ["A"], unreadable: undefined });
});

test("numbers are plain and names are not", () => {
  for (const text of ["1", "-1", "0x1f", " 2 ", ""]) assert.equal(isPlainNumber(text), true, text);
  for (const text of ["x", "1+1", "2#1", "a[0]"]) assert.equal(isPlainNumber(text), false, text);
});

test("capitals steer unless they are known not to; small letters do not unless they are known to", () => {
  for (const name of [
    "PATH",
    "LD_PRELOAD",
    "BASH_ENV",
    "NODE_OPTIONS",
    "GIT_SSH_COMMAND",
    "http_proxy",
    "path",
    "Path",
  ]) {
    assert.equal(isSteeringVariable(name), true, name);
  }
  for (const name of ["a", "file_name", "IFS", "LANG", "LC_ALL", "TZ", "CI"])
    assert.equal(isSteeringVariable(name), false, name);
});
