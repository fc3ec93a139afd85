import assert from "node:assert/strict";
import { test } from "node:test";
import { LineEditor } from "./line-editor.ts";

test("LineEditor overwrites at the cursor and keeps the rest", () => {
  const editor = new LineEditor("abcdef", 100);
  editor.carriageReturn();
  editor.write("xy");
  assert.equal(editor.text(), "xycdef");
  assert.equal(editor.take(), "xycdef");
  assert.equal(editor.text(), "");
});

test("LineEditor drops blanks that only erase at the end, but not before the cursor", () => {
  const editor = new LineEditor("$ abc", 100);
  editor.moveBy(-3);
  editor.write("   ");
  assert.equal(editor.text(), "$    ");
  editor.moveBy(-3);
  assert.equal(editor.text(), "$ ");
  assert.equal(editor.take(), "$ ");
});

test("LineEditor releases a full line and begins again", () => {
  const editor = new LineEditor("abc", 4);
  assert.equal(editor.write("d"), "");
  assert.equal(editor.writeAscii("e"), "abcd");
  assert.equal(editor.text(), "e");
});

test("LineEditor keeps the cursor within a bounded gap", () => {
  const editor = new LineEditor("", 1_000);
  editor.moveTo(9_999);
  editor.write("x");
  assert.equal(editor.text().length, 257);
});
