import assert from "node:assert/strict";
import { test } from "node:test";
import { snippetPieces } from "./snippet.ts";

const shown = (snippet: string): string =>
  snippetPieces(snippet)
    .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join("");

test("snippetPieces marks what was looked for", () => {
  assert.equal(shown("the \u0002tests\u0003 of \u0002core\u0003"), "the [tests] of [core]");
  assert.equal(shown("\u0002all\u0003"), "[all]");
});

test("snippetPieces takes a mark that is not closed for text", () => {
  assert.equal(shown("a \u0002b"), "a b");
});
