import assert from "node:assert/strict";
import { test } from "node:test";
import { isLong, jsonPieces } from "./json-pieces.ts";

const long = (length: number, part = 'a\n"\u0007é😀'): string => part.repeat(Math.ceil(length / part.length));

test("the pieces together are the JSON of the document, wherever a text is cut", () => {
  // Each offset moves the pair of units across the place of the cut.
  for (let offset = 0; offset < 4; offset += 1) {
    const document = {
      text: "x".repeat(offset) + long(1_000_000),
      next: 7,
      none: undefined,
      more: [{ a: null }],
      'a"b': "",
    };
    assert.equal([...jsonPieces(document)].join(""), JSON.stringify(document));
  }
  const halves = { text: "\ud83d".repeat(300_000) };
  assert.equal([...jsonPieces(halves)].join(""), JSON.stringify(halves));
  assert.equal([...jsonPieces({})].join(""), "{}");
});

test("no piece is much longer than a quarter of a million characters", () => {
  const pieces = [...jsonPieces({ text: long(16 * 1024 * 1024, "plain text\n") })];
  assert.ok(pieces.length >= 64);
  assert.ok(Math.max(...pieces.map(({ length }) => length)) < 300_000);
});

test("a document without a long text is not worth pieces", () => {
  assert.equal(isLong({ text: "short", more: [long(1_000_000)] }), false);
  assert.equal(isLong({ text: long(1_000_000) }), true);
  assert.equal(isLong(null), false);
  assert.equal(isLong("text"), false);
});
