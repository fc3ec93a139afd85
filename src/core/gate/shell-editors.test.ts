import assert from "node:assert/strict";
import { test } from "node:test";
import { isEditor, onlyEdits } from "./shell-editors.ts";
import { literalWord } from "./shell-words.ts";

const edits = (...words: readonly string[]): boolean => onlyEdits(words.map((word) => literalWord(word)));

test("a program that only edits what passes through is told from one that runs or opens something", () => {
  assert.deepEqual([isEditor("gawk"), isEditor("python3")], [true, false]);
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
