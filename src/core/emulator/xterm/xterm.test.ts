import assert from "node:assert/strict";
import { test } from "node:test";
import { charactersAt } from "../cells.ts";
import { XtermEmulator } from "./xterm.ts";

const textOf = (emulator: XtermEmulator): string => {
  const row = emulator.row(0);
  if (row === undefined) return "";
  return Array.from({ length: emulator.columns }, (_, column) => charactersAt(row, column)).join("");
};

test("XtermEmulator has parsed everything when write returns", () => {
  const emulator = new XtermEmulator({ columns: 80, rows: 24, scrollbackLinesMax: 10 });
  emulator.write("a".repeat(300_000));
  emulator.write("\u001B[c");
  assert.deepEqual(emulator.takeReplies(), ["\u001B[?1;2c"]);
  assert.deepEqual(emulator.takeReplies(), []);
});

test("XtermEmulator erases up to the end of the last row", () => {
  const emulator = new XtermEmulator({ columns: 4, rows: 2, scrollbackLinesMax: 0 });
  emulator.write("abcdefgh\u001B[1Jz");
  assert.equal(textOf(emulator), "");
});

test("XtermEmulator keeps some accents of a cell, not millions, and every one of an emoji", () => {
  const emulator = new XtermEmulator({ columns: 80, rows: 24, scrollbackLinesMax: 10 });
  const kiss = "\u{1F469}\u{1F3FB}\u200D\u2764\uFE0F\u200D\u{1F48B}\u200D\u{1F468}\u{1F3FF}";
  emulator.write(`${kiss}a${"\u0301".repeat(100_000)}b`);
  const text = textOf(emulator);
  assert.ok(text.startsWith(`${kiss}a\u0301`));
  assert.ok(text.endsWith("\u0301b"));
  assert.equal(text.length, kiss.length + 64 + "b".length);
});
