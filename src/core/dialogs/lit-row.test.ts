import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { isFaintAt, litBox, litRow } from "./lit-row.ts";

const lines = (text: string) => frameOf(text).lines.filter((line) => line.text !== "");
const lit = (text: string): number => litRow(lines(text), 0);

test("the row that stands out is lit: by its background, inverse, coloured, or not dim", () => {
  assert.equal(lit("one\n\u001B[7mtwo\u001B[m\nthree"), 1);
  assert.equal(lit("\u001B[44mone\u001B[m\ntwo"), 0);
  assert.equal(lit("one\n\u001B[36mtwo\u001B[m"), 1);
  assert.equal(lit("\u001B[2mone\u001B[m\ntwo\n\u001B[2mthree\u001B[m"), 1);
  assert.equal(lit("\u001B[36mone\u001B[m\n\u001B[7mtwo\u001B[m\nthree"), 1);
});

test("of rows that look alike none is lit", () => {
  assert.equal(lit("one\ntwo"), -1);
  assert.equal(lit("\u001B[7mone\u001B[m\n\u001B[7mtwo\u001B[m"), -1);
});

test("a box is lit inside", () => {
  assert.equal(litBox(lines("\u001B[44m[ ] one\n[\u001B[41m \u001B[44m] two"), 0), 1);
  assert.equal(litBox(lines("\u001B[44m[ ] one\n[ ] two"), 0), -1);
});

test("dim and grey are faint", () => {
  const [first, second, third] = lines("\u001B[90mone\u001B[m\n\u001B[2mtwo\u001B[m\nthree");
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  assert.deepEqual(
    [first, second, third].map((line) => isFaintAt(line, 0)),
    [true, true, false],
  );
});
