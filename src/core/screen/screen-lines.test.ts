import assert from "node:assert/strict";
import { test } from "node:test";
import { ScreenLines } from "./screen-lines.ts";
import { Emulator, type Line } from "./xterm.ts";

function rowOf(emulator: Emulator, index: number): Line {
  const row = emulator.core.buffers.active.lines.get(index);
  assert.ok(row);
  return row;
}

test("a row is the same object until it changes", () => {
  const emulator = new Emulator({ columns: 10, rows: 2, scrollbackLinesMax: 10 });
  const lines = new ScreenLines(emulator.newCell());
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
  const emulator = new Emulator({ columns: 10, rows: 2, scrollbackLinesMax: 10 });
  const lines = new ScreenLines(emulator.newCell());
  emulator.write("e\u0301");
  assert.equal(lines.read(rowOf(emulator, 0), 10).text, "e\u0301");
  emulator.write("\u001b[1;1He\u0300");
  assert.equal(lines.read(rowOf(emulator, 0), 10).text, "e\u0300");
});

test("a background makes blanks at the end count as cells, not as text", () => {
  const emulator = new Emulator({ columns: 10, rows: 2, scrollbackLinesMax: 10 });
  const lines = new ScreenLines(emulator.newCell());
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
