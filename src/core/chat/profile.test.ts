import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn } from "./drawn-frame.test.ts";
import { isRule, lastRow, toolOf, trimmed } from "./profile.ts";

test("toolOf reads calls, commands and words", () => {
  assert.deepEqual(toolOf("Write(a.txt)"), { name: "Write", input: "a.txt" });
  assert.deepEqual(toolOf("Printing\n$ echo 1"), { name: "shell", input: "echo 1" });
  assert.deepEqual(toolOf("Read notes.txt"), { name: "Read", input: "notes.txt" });
  assert.deepEqual(toolOf("Think"), { name: "Think", input: null });
});

test("rows are looked for from the bottom, and cut off there", () => {
  const { lines } = drawn(["one", "────────", "two", "──── name ──", "", ""]);
  assert.equal(lastRow(lines, isRule), 3);
  assert.equal(lastRow(lines, isRule, { to: 3 }), 1);
  assert.equal(lastRow(lines, isRule, { to: 3, rowsMax: 1 }), -1);
  assert.equal(
    trimmed(lines, lines.length, ({ text }) => text === ""),
    4,
  );
});
