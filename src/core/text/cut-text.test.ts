import assert from "node:assert/strict";
import { test } from "node:test";
import { cutNote, cutText, wholeCharacters } from "./cut-text.ts";

test("a text that fits stays as it is, and where the rest is is not asked for", () => {
  assert.equal(
    cutText("abc", 3, () => assert.fail("nothing is cut")),
    "abc",
  );
  assert.equal(cutNote("abc"), "");
});

test("the last line of a longer text reports how much is missing and where all of it is", () => {
  const cut = cutText("abcdef", 3, () => "all of it: elsewhere");
  assert.equal(cut, "abc\n[cut after 3 of 6 characters; all of it: elsewhere]");
  assert.equal(cutNote(cut), "\n[cut after 3 of 6 characters; all of it: elsewhere]");
});

test("half a character at the cut, or in a text that fits, is replaced", () => {
  assert.equal(cutText("a\u{1F600}b", 2, "x"), "a\uFFFD\n[cut after 2 of 4 characters; x]");
  assert.equal(cutText("\uD83D", 2, "x"), "\uFFFD");
});

test("wholeCharacters cuts no surrogate pair", () => {
  assert.equal(wholeCharacters("a\u{1F600}", 2), 1);
  assert.equal(wholeCharacters("a\u{1F600}", 3), 3);
});
