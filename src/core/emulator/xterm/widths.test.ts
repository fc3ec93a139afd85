import assert from "node:assert/strict";
import { test } from "node:test";
import headless from "@xterm/headless";
import { setWidths } from "./widths.ts";

function cursorAfter(data: string): number {
  const terminal = new headless.Terminal({ cols: 10, rows: 2, allowProposedApi: true });
  setWidths(terminal);
  terminal.input("", true); // parsed at once then
  terminal.write(data);
  return terminal.buffer.active.cursorX;
}

test("a terminal counts columns as text does", () => {
  assert.equal(cursorAfter("a\u200Bb"), 2);
  assert.equal(cursorAfter("\u0E01\u0E33"), 2);
  assert.equal(cursorAfter("❤\uFE0F"), 2);
});

test("at the start of a row what has no column is dropped, and the rest is printed", () => {
  assert.equal(cursorAfter("\u200B\u200Ea"), 1);
  assert.equal(cursorAfter("\u0301"), 0);
  assert.equal(cursorAfter("ab\r\u0301c"), 1);
});
