import assert from "node:assert/strict";
import { test } from "node:test";
import { oneLine, visibleLines } from "./one-line.ts";

test("lines on one line keep a visible sign between them, whatever ended them", () => {
  for (const end of ["\n", "\r\n", "\r", "\u2028", "\v", "\u0085", "\n\n\n"]) {
    assert.equal(oneLine(`rm -rf ./a${end}rm -rf ./b`), "rm -rf ./a ⏎ rm -rf ./b", JSON.stringify(end));
  }
  assert.equal(oneLine("  one\t two  \n\n"), "one two");
  assert.equal(oneLine(" \n"), "");
});

test("characters that act are removed, and a tab does not glue words", () => {
  assert.equal(oneLine("\u001B[31mrm\t-rf\u202E x"), "[31mrm -rf x");
  assert.deepEqual(visibleLines("a\r\n  b\u0007\n\nc"), ["a", "  b", "", "c"]);
});
