import assert from "node:assert/strict";
import { test } from "node:test";
import { screenParts } from "./screen-text.ts";

test("indented lines are code, with the lines and the empty lines beside them", () => {
  const code = "def total(cart):\n    if not cart:\n        return 0\n\n    return sum(cart)";
  assert.deepEqual(screenParts(`Here it is:\n\n${code}\n\nIt handles an empty cart.`), [
    { kind: "markdown", text: "Here it is:" },
    { kind: "code", text: code },
    { kind: "markdown", text: "It handles an empty cart." },
  ]);
});

test("the items of a list and what belongs to them are no code", () => {
  const list = "1. first\n   - nested\n     - deeper\n\n   more of the first\n2. second";
  assert.deepEqual(screenParts(list), [{ kind: "markdown", text: list }]);
  assert.deepEqual(screenParts("• one\n  • two\n\nText"), [{ kind: "markdown", text: "- one\n  - two\n\nText" }]);
});

test("code directly after a list, and paragraphs of prose, stay apart", () => {
  assert.deepEqual(screenParts("- a\n\nfor x in y:\n  print(x)\n\none\n\ntwo"), [
    { kind: "markdown", text: "- a" },
    { kind: "code", text: "for x in y:\n  print(x)" },
    { kind: "markdown", text: "one\n\ntwo" },
  ]);
});

test("a text with marks of code, and an empty one, are as they are", () => {
  const text = "Look:\n\n```py\nif x:\n  y()\n```";
  assert.deepEqual(screenParts(text), [{ kind: "markdown", text }]);
  assert.deepEqual(screenParts(""), []);
});
