import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { escapeText, quoteWords } from "./escape.ts";

test("what a terminal would obey is shown and not obeyed", () => {
  const title = "\u001b]0;rm\u0007\u202e\u009b2J\r\nü";
  assert.equal(escapeText(title), String.raw`\e]0;rm\x07\u{202e}\x9b2J\r\nü`);
});

test("no control character of any text comes through", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => assert.doesNotMatch(escapeText(text), /\p{Cc}/u)));
});

test("words are quoted where a shell would need it", () => {
  assert.equal(quoteWords(["make", "-j4", "a b", "it's", ""]), String.raw`make -j4 'a b' 'it'\''s' ''`);
});
