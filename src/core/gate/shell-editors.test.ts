import assert from "node:assert/strict";
import { test } from "node:test";
import { programNamed } from "./programs.ts";
import { splitWords } from "./program-words.ts";
import { onlyEdits } from "./shell-editors.ts";
import { literalWord, unknownWord, type ShellWord } from "./shell-words.ts";

const editsWords = (words: readonly ShellWord[]): boolean => {
  const program = programNamed(words[0]?.value ?? "");
  return program !== undefined && onlyEdits({ program, split: splitWords(words, program), words });
};
const edits = (...words: readonly string[]): boolean => editsWords(words.map((word) => literalWord(word)));

test("a program that only edits what passes through is told from one that runs or opens something", () => {
  assert.deepEqual([edits("sed", "s/a/b/", "f"), edits("sed", "s/a/b/e", "f")], [true, false]);
  assert.deepEqual([edits("awk", "{print $1}", "f"), edits("awk", "{print | $1}", "f")], [true, false]);
});

test("a comparison of awk is told from a file that it prints to", () => {
  for (const program of ["NR>1 {sum += $3} END {print sum}", '$1 > 2 {print "a > b"}', '$1 > "a;" {n++}'])
    assert.equal(edits("awk", program, "f"), true, program);
  for (const program of [
    '{print > "f"}',
    '{print 1,\n2 > "f"}',
    '{print "a;" > "f"}',
    '/"/{print > "f"}',
    '# "\n{print > "f"}',
  ])
    assert.equal(edits("awk", program, "f"), false, program);
});

test("a substitution of Perl is told from code", () => {
  for (const words of [
    ["-pi", "-e", "s/foo/bar/g", "src/a.ts"],
    ["-0pi", "-e", "s/a\\nb/c/", "a"],
    ["-i.bak", "-pe", "s/(a)$/$1+/; s|x|y|", "a"],
  ])
    assert.equal(edits("perl", ...words), true, words.join(" "));
  for (const words of [
    ["-pe", "s/a/b/e", "f"],
    ["-pe", "s/(?{1})//", "f"],
    ["-pe", "s/a/@{[1]}/", "f"],
    ["-pe", "s/(a)/$1[1]/", "f"],
    ["-pe", "s/a/b/;1", "f"],
    ["-pe", "s/a/b/", "x|"],
    ["-pi.e", "s/a/b/", "f"],
    ["-pie", "s/a/b/", "f"],
    ["x.pl"],
  ])
    assert.equal(edits("perl", ...words), false, words.join(" "));
});

test("options of awk and sed that are known are read over, wherever they are", () => {
  const plain = [
    ["awk", "-F", ":", "-v", "n=1", "{print $n}", "f"],
    ["awk", "-F:", "--", "{print}", "f"],
    ["sed", "-n", "-e", "1p", "--expression=2p", "f"],
    ["sed", "--expression", "1p", "--", "-f"],
    ["sed", "--version"],
    ["sed", "1p", "-"],
    ["perl", "-l", "-pe", "s/a/b/"],
  ] as const;
  for (const words of plain) assert.ok(edits(...words), words.join(" "));
  const others = [
    ["awk", "-f", "x.awk"],
    ["awk", "--", "-x"],
    ["awk", "-v"],
    ["awk"],
    ["awk", "x".repeat(2001)],
    ["sed", "-f", "x.sed"],
    ["sed", "-e"],
    ["sed", "1p;".repeat(700)],
    ["sed", "s/[]]/x/"],
    ["perl", "-p"],
    ["perl", "-pe"],
  ] as const;
  for (const words of others) assert.ok(!edits(...words), words.join(" "));
});

test("a computed word may be the program, and an option only where it may become one", () => {
  const computed = { ...unknownWord('"$x"'), isOne: true } as const;
  const [one, words] = [(text: string) => literalWord(text), unknownWord("$x")];
  assert.ok(editsWords([one("awk"), one("-v"), computed, one("{print}")]));
  assert.ok(!editsWords([one("awk"), one("-v"), words, one("{print}")]));
  assert.ok(!editsWords([one("awk"), words, one("{print}")]));
  assert.ok(!editsWords([one("awk"), unknownWord("-v$x"), one("f")]));
  assert.ok(!editsWords([one("sed"), words]));
  assert.ok(!editsWords([one("sed"), one("1p"), words]));
});
