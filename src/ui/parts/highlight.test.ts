import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { highlight, looksLikeDiff } from "./highlight.ts";

const shown = (code: string, language = ""): string =>
  highlight(code, language)
    .filter(({ kind }) => kind !== "text")
    .map(({ kind, text }) => `${kind}:${text.trimEnd()}`)
    .join(" | ");

test("highlight knows comments, strings, numbers and keywords", () => {
  assert.equal(
    shown(`const a = "x // y"; // note\nreturn 42`),
    `keyword:const | string:"x // y" | comment:// note | keyword:return | number:42`,
  );
  assert.equal(shown("url#part # a comment", "sh"), "comment:# a comment");
});

test("highlight shows a diff by its lines", () => {
  const diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n";
  assert.equal(shown(diff, "diff"), "hunk:--- a | hunk:+++ b | hunk:@@ -1 +1 @@ | removed:-old | added:+new");
  assert.ok(looksLikeDiff(diff));
  assert.ok(!looksLikeDiff("- a list\n+ of things"));
});

test("highlight shows the lines of a file with their numbers as a diff where some go or come", () => {
  const drawn = "Updated a.ts with 1 addition and 1 removal\n 1   same\n 2 - old\n 2 + new\n";
  assert.ok(looksLikeDiff(drawn));
  assert.equal(shown(drawn, "diff"), "removed: 2 - old | added: 2 + new");
  assert.ok(!looksLikeDiff("1 + 1\nis two"));
  assert.ok(looksLikeDiff("*** Begin Patch\n*** Update File: a\n-old\n+new\n*** End Patch"));
});

test("highlight loses no character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("", "diff", "ts", "text"), (code, language) => {
      assert.equal(
        highlight(code, language)
          .map(({ text }) => text)
          .join(""),
        code,
      );
    }),
  );
});
