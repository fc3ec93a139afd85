import assert from "node:assert/strict";
import { test } from "node:test";
import { TypedLine } from "./typed-line.ts";

const typed = (...pieces: readonly string[]): (string | null)[] => {
  const line = new TypedLine();
  return pieces.flatMap((piece) => line.feed(new TextEncoder().encode(piece)).map(({ text }) => text));
};

test("a line ends with Enter, wherever the keys were cut", () => {
  assert.deepEqual(typed("l", "s -", "1\r", "pwd\n"), ["ls -1", "pwd"]);
});

test("Backspace, Ctrl-U, Ctrl-W and Ctrl-C change the line", () => {
  assert.deepEqual(typed("lz\u007Fs\r", "rm\u0015ls\r", "git push\u0017pull\r", "no\u0003yes\r"), [
    "ls",
    "ls",
    "git pull",
    "yes",
  ]);
});

test("a line out of the history or completed by the shell is not known", () => {
  assert.deepEqual(typed("\u001B[A\r", "cl\t\r", "ls\r"), [null, null, "ls"]);
});

test("what the terminal answers by itself is not typed", () => {
  assert.deepEqual(typed("l\u001B[?1;2c\u001B[12;3Rs\u001B[I\u001B]11;rgb:0/0/0\u001B\\\r"), ["ls"]);
});

test("a pasted line counts as typed", () => {
  assert.deepEqual(typed("\u001B[200~claude\u001B[201~\r"), ["claude"]);
});

test("a line without end is given up", () => {
  const line = new TypedLine();
  line.feed(new Uint8Array(5000).fill(0x61));
  assert.equal(line.text, null);
});

test("what was saved goes on", () => {
  const line = new TypedLine();
  line.feed(new TextEncoder().encode("cla"));
  const restored = new TypedLine(structuredClone(line.save()));
  assert.deepEqual(restored.feed(new TextEncoder().encode("ude\r")), [{ text: "claude" }]);
});
