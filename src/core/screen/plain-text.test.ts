import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText } from "./plain-text.ts";
import { makeXterm } from "../emulator/xterm/xterm.ts";

function textOf(data: string): string {
  const emulator = makeXterm({ columns: 10, rows: 4, scrollbackLinesMax: 10 });
  emulator.write(data);
  const indexes = Array.from({ length: emulator.scrollbackLines + emulator.rows }, (_, index) => index);
  return plainText(
    indexes.map((index) => emulator.normalRow(index)).filter((row) => row !== undefined),
    10,
  );
}

test("plainText joins wrapped rows and keeps blanks inside", () => {
  assert.equal(textOf("0123456789abc  d\r\nnext"), "0123456789abc  d\nnext");
  assert.equal(textOf("012345678 abc"), "012345678 abc");
});

test("plainText leaves out the blank before a wide character that did not fit", () => {
  assert.equal(textOf("012345678漢"), "012345678漢");
});

test("plainText keeps empty lines between lines only", () => {
  assert.equal(textOf("a\r\n\r\nb\r\n   \r\n"), "a\n\nb");
});
