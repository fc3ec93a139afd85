import assert from "node:assert/strict";
import { test } from "node:test";
import { quoteWords } from "./quote-words.ts";

test("words are quoted where a shell would need it", () => {
  assert.equal(quoteWords(["make", "-j4", "a b", "it's", ""]), String.raw`make -j4 'a b' 'it'\''s' ''`);
});

test("what a terminal would obey is shown", () => {
  assert.equal(quoteWords(["\u001b[2J"]), String.raw`'\x1b[2J'`);
});
