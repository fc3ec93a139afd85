import assert from "node:assert/strict";
import { test } from "node:test";
import { hasHiddenCharacters, visibleText } from "./visible-text.ts";

test("characters that hide or move text are written out", () => {
  assert.equal(visibleText("a\u202eb\u200bc\u001b[8md\u009be"), "a\\u{202e}b\\u{200b}c\\u{1b}[8md\\u{9b}e");
  assert.equal(visibleText("x\u{e0041}y\r"), "x\\u{e0041}y\\u{d}");
});

test("ordinary text of any script stays as it is", () => {
  for (const text of ["ls -l\n\tx", "✔\ufe0f", "äöü 日本 😀 עברית", ""]) {
    assert.equal(visibleText(text), text);
    assert.equal(hasHiddenCharacters(text), false);
  }
});

test("each hidden character is found, again and again", () => {
  for (const letter of ["\0", "\u00ad", "\u3164", "\ufeff", "\u2066"]) {
    assert.equal(hasHiddenCharacters(`a${letter}`), true);
    assert.equal(hasHiddenCharacters(`a${letter}`), true);
  }
});

test("a long text is cut", () => {
  assert.equal(visibleText("x".repeat(300)), `${"x".repeat(200)}...`);
  assert.equal(visibleText("abc", 2), "ab...");
  assert.equal(visibleText("abc", 3), "abc");
});
