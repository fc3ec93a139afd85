import assert from "node:assert/strict";
import { test } from "node:test";
import { areQuoted } from "./quoted-places.ts";

/** Whether each `T...T` of the text is quoted. */
function quoted(text: string): boolean[] {
  return areQuoted(
    text,
    [...text.matchAll(/T[^]*?T/g)].map(({ 0: part, index }) => ({ start: index, end: index + part.length })),
  );
}

test("plain text is not quoted, also at the end of a sentence and in a list", () => {
  for (const text of ["TaT", "Done.\n\nTaT\n", "Done. TaT", "and TaT which goes on", "- TaT", "1. TaT", "it's TaT"])
    assert.deepEqual(quoted(text), [false], text);
});

test("code, block quotes and quotation marks quote", () => {
  for (const text of [
    "say `TaT` then",
    "``a ` TaT ``",
    "```xml\nTaT\n```",
    "~~~\nTaT\n~~~\n",
    "1. ```\n   TaT\n   ```",
    "```\nTaT",
    "> TaT",
    "    TaT",
    "\tTaT",
    'he wrote "TaT".',
    "he wrote “TaT”.",
  ])
    assert.deepEqual(quoted(text), [true], text);
});

test("code ends where Markdown ends it", () => {
  assert.deepEqual(quoted("a ` b\n\nTaT ` c"), [false]);
  assert.deepEqual(quoted("```\nTaT\n```\nTbT"), [true, false]);
  assert.deepEqual(quoted("````\n```\nTaT\n````\nTbT"), [true, false]);
  assert.deepEqual(quoted("`a` TbT `c`"), [false]);
});

test("what is inside of a part ends no code and starts none", () => {
  assert.deepEqual(quoted("a ` T`T b"), [false]);
  assert.deepEqual(quoted("T\n```\nT and TbT"), [false, false]);
});
