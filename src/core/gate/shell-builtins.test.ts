import assert from "node:assert/strict";
import { test } from "node:test";
import { builtinEffects } from "./shell-builtins.ts";
import { literalWord, unknownWord, type ShellWord } from "./shell-words.ts";

/** `$x` is computed, and so is `"$x"`, which stays one word. */
const wordOf = (text: string): ShellWord => {
  if (text.startsWith('"')) return { ...unknownWord(text), isOne: true };
  return text.includes("$") ? unknownWord(text) : literalWord(text);
};
const effects = (text: string): ReturnType<typeof builtinEffects> => builtinEffects(text.split(" ").map(wordOf));

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
    const known = effects(text);
    assert.deepEqual([known.assigned.map(({ name }) => name), known.isOpaque], [assigned, false], text);
  }
});

test("the value of a variable is known where the text has it", () => {
  assert.deepEqual(effects("export A=1 B C=$x").assigned, [
    { name: "A", value: "1" },
    { name: "B", value: null },
    { name: "C", value: undefined },
  ]);
  assert.deepEqual(effects("read A").assigned, [{ name: "A", value: undefined }]);
});

test("a value that may be a list is noted, and so is what becomes an array", () => {
  assert.deepEqual(effects("declare A=$x B=(1) C=1").compound, ["A", "B"]);
  assert.deepEqual(effects("declare -a A").arrays, ["A"]);
  assert.deepEqual(effects("read -ra A").arrays, ["A"]);
  assert.deepEqual(effects("mapfile -t A").arrays, ["A"]);
});

test("a computed word of a test is an operand only where it is one word beside an operator", () => {
  for (const text of ['[ "$x" ]', '[ "$x" = y ]', '[ -n "$x" ]', '[ "$x" -eq "$y" ]', "test a = b"])
    assert.equal(effects(text).isOpaque, false, text);
  for (const text of ["[ $x ]", "[ $x = y ]", "[ -n $x ]", '[ "$x" "$y" ]', '[ -v "$x" ]', '[ ! "$x" "$y" ]'])
    assert.equal(effects(text).isOpaque, true, text);
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
    "declare -i a",
    "typeset -ri a",
    "mapfile -Ccommand a",
    "hash -p/bin/x a",
    "wait -np$a",
    "read -aa[0]",
    "set -H",
    "set -o histexpand",
    "set -k",
    "unset $a",
  ]) {
    assert.equal(effects(text).isOpaque, true, text);
  }
});

test("a computed value is not a computed option", () => {
  const words = [literalWord("declare"), unknownWord("A=$x")];
  assert.deepEqual(builtinEffects(words).assigned, [{ name: "A", value: undefined }]);
  assert.equal(builtinEffects(words).isOpaque, false);
});

test("a computed word is taken for the worst that it may become", () => {
  const opaque = [
    "let $x",
    "shopt $x",
    "set $x",
    "printf $x",
    "printf -v",
    "printf -v a[0] x",
    "declare $x",
    "declare a[0]=1",
  ];
  for (const text of opaque) assert.ok(effects(text).isOpaque, text);
  const known = [
    "let 1",
    "shopt -s extglob",
    "set -e",
    "set -- $x",
    "printf",
    "printf %s $x",
    "declare -x -- A=1",
    "getopts ab x $y",
  ];
  for (const text of known) assert.ok(!effects(text).isOpaque, text);
});
