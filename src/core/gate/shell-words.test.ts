import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, type Command } from "unbash";
import { literalWord, mayBeOption, resolveWord, unknownWord, type ShellWord } from "./shell-words.ts";

function word(text: string): ShellWord {
  const command = parse(`x ${text}`).commands[0]?.command as Command;
  const argument = command.args[0];
  assert.equal(argument?.type, "Word");
  return resolveWord(argument);
}

test("a quoted word has the value that the program gets", () => {
  for (const [text, value] of [
    ["a\\ b", "a b"],
    ["'a'\"b\"c", "abc"],
    ["$'\\ta'", "\ta"],
    ["''", ""],
    ["{}", "{}"],
  ] as const) {
    assert.deepEqual(word(text), { text, value, path: value });
  }
});

test("a word that the shell computes has no value", () => {
  for (const text of ["$a", '"$@"', '"${a[@]}"', '"$a"$b', "$(a)", "a{b,c}", "@(a|b)", "${a}"]) {
    assert.deepEqual(word(text), { text, value: undefined, path: undefined }, text);
  }
});

test("a word in double quotes stays one word", () => {
  for (const text of ['"$a"', '"${a}b"', '"$(a "b" c)"', '"$*"'])
    assert.deepEqual(word(text), { text, value: undefined, path: undefined, isOne: true }, text);
});

test("a glob has no value, and the folders that it stays in", () => {
  assert.deepEqual(word("/a/*.ts"), { text: "/a/*.ts", value: undefined, path: "/a/*.ts" });
  assert.equal(word("/a/[bc]?/d").path, "/a/**/d");
  assert.equal(word("/a/.*/d").path, undefined);
  assert.equal(word("/a/.[.]/d").path, undefined);
});

test("a tilde stands for a home unless it is quoted", () => {
  assert.deepEqual(word("~/a"), { text: "~/a", value: undefined, path: "~/a" });
  assert.deepEqual(word("'~/a'"), { text: "'~/a'", value: "~/a", path: "./~/a" });
  assert.deepEqual(word("\\~"), { text: "\\~", value: "~", path: "./~" });
});

test("a tilde in what looks like an assignment is a home, too, as bash reads it", () => {
  for (const text of ["of=~/x", "a=b:~/x", "a[1]=~/x", "a+=~/x", 'a=b"":~/x', "a=~"])
    assert.deepEqual(word(text), { text, value: undefined, path: undefined, isOne: true }, text);
  for (const text of ["--of=~/x", "a.b=~/x", "1a=~/x"]) assert.equal(word(text).value, text);
  assert.equal(word("a=\\~/x").value, "a=~/x");
});

test("words can be made without a parser", () => {
  assert.deepEqual(literalWord("a"), { text: "a", value: "a", path: "a" });
  assert.deepEqual(unknownWord("x"), { text: "x", value: undefined, path: undefined });
});

test("what a command prints is no file", () => {
  assert.deepEqual(word("<(a)"), { text: "<(a)", value: undefined, path: undefined, isStream: true });
});

test("a computed word may become an option unless its beginning is known", () => {
  for (const text of ["*", "*.ts", "$a", '"$a"', "a$b", "-*", "-j$a", '"-$a"', "{a,-b}"])
    assert.equal(mayBeOption(word(text)), true, text);
  for (const text of ["-a", "./*", "src/*.ts", '"src/$a"', '"a$b"', "src/{a,b}", "<(a)", "~/*"])
    assert.equal(mayBeOption(word(text)), false, text);
});
