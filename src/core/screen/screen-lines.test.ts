import assert from "node:assert/strict";
import { test } from "node:test";
import type { Emulator, EmulatorRow } from "../emulator/emulator.ts";
import { makeXterm } from "../emulator/xterm/xterm.ts";
import { ScreenLines } from "./screen-lines.ts";

function rowOf(emulator: Emulator, index: number): EmulatorRow {
  const row = emulator.row(index);
  assert.ok(row);
  return row;
}

test("a row is the same object until it changes", () => {
  const emulator = makeXterm({ columns: 10, rows: 2, scrollbackLinesMax: 10 });
  const lines = new ScreenLines();
  emulator.write("one");
  const first = lines.read(rowOf(emulator, 0), 10);
  assert.equal(lines.read(rowOf(emulator, 0), 10), first);
  emulator.write("\u001b[1;1H\u001b[7mo");
  const second = lines.read(rowOf(emulator, 0), 10);
  assert.equal(second.text, first.text);
  assert.deepEqual(
    second.spans.map(({ text, isInverse }) => [text.trimEnd(), isInverse]),
    [
      ["o", true],
      ["ne", false],
    ],
  );
});

test("a character that was joined by another counts as a change", () => {
  const emulator = makeXterm({ columns: 10, rows: 2, scrollbackLinesMax: 10 });
  const lines = new ScreenLines();
  emulator.write("e\u0301");
  assert.equal(lines.read(rowOf(emulator, 0), 10).text, "e\u0301");
  emulator.write("\u001b[1;1He\u0300");
  assert.equal(lines.read(rowOf(emulator, 0), 10).text, "e\u0300");
});

test("a background makes blanks at the end count as cells, not as text", () => {
  const emulator = makeXterm({ columns: 10, rows: 2, scrollbackLinesMax: 10 });
  const lines = new ScreenLines();
  emulator.write("a\u001b[44m\u001b[K");
  const line = lines.read(rowOf(emulator, 0), 10);
  assert.equal(line.text, "a");
  assert.deepEqual(
    line.spans.map(({ text, background }) => [text.length, background]),
    [
      [1, -1],
      [9, 4],
    ],
  );
});
