import assert from "node:assert/strict";
import { test } from "node:test";
import { TextMarks } from "./text-marks.ts";

const found = (marks: readonly string[], pieces: readonly string[]): (string | undefined)[] => {
  const reader = new TextMarks(marks);
  return pieces.map((piece) => reader.find(piece));
};

test("a mark is found in one piece, at each cut into two, and character by character", () => {
  const mark = "</invoke>";
  const text = `a${mark}`;
  for (let at = 0; at <= text.length; at += 1) {
    assert.ok(found([mark], [text.slice(0, at), text.slice(at)]).includes(mark), String(at));
  }
  assert.deepEqual(found([mark], [...text]).at(-1), mark);
});

test("what is no mark, and a mark that other text interrupts, is not found", () => {
  assert.deepEqual(found(["</invoke>"], ["<invoke>", "</inv", " ", "oke>"]), Array(4).fill(undefined));
  assert.deepEqual(found([], ["</invoke>"]), [undefined]);
  assert.deepEqual(found(["x", ""], ["a", "x", ""]), [undefined, "x", undefined]);
});
