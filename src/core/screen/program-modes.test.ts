import assert from "node:assert/strict";
import { test } from "node:test";
import { ProgramModes } from "./program-modes.ts";
import { makeXterm } from "../emulator/xterm/xterm.ts";

function after(data: string): ProgramModes {
  const emulator = makeXterm({ columns: 80, rows: 24, scrollbackLinesMax: 0 });
  const modes = new ProgramModes(emulator);
  emulator.write(data);
  return modes;
}

test("ProgramModes keeps a stack of keyboard flags for each screen", () => {
  assert.equal(after("\u001B[>1u\u001B[>5u").keyboardFlags, 5);
  assert.equal(after("\u001B[>1u\u001B[>5u\u001B[<u").keyboardFlags, 1);
  assert.equal(after("\u001B[>1u\u001B[<9u").keyboardFlags, 0);
  assert.equal(after("\u001B[>1u\u001B[?1049h").keyboardFlags, 0);
  assert.equal(after("\u001B[>1u\u001B[?1049h\u001B[>8u\u001B[?1049l").keyboardFlags, 1);
});

test("ProgramModes sets, adds and takes away flags", () => {
  assert.equal(after("\u001B[=3u").keyboardFlags, 3);
  assert.equal(after("\u001B[=3u\u001B[=4;2u").keyboardFlags, 7);
  assert.equal(after("\u001B[=7u\u001B[=2;3u").keyboardFlags, 5);
});

test("ProgramModes bounds the stack", () => {
  const sequences = after("\u001B[>1u".repeat(1000)).sequences();
  assert.ok(sequences.normal.length < 100);
});

test("ProgramModes gives back sequences that make the same state", () => {
  const modes = after("\u001B[=1u\u001B[>5u\u001B[>4;2m\u001B[?2031;5h\u001B[?1049h\u001B[>9u");
  const { normal, alternate } = modes.sequences();
  assert.deepEqual(after(`${normal}\u001B[?1049h${alternate}`).sequences(), { normal, alternate });
  assert.equal(modes.modifyOtherKeys, 2);
  assert.deepEqual(modes.others, [5, 2031]);
});

test("ProgramModes forgets everything at a full reset", () => {
  assert.deepEqual(after("\u001B[>5u\u001B[>4;2m\u001B[?2031h\u001Bc").sequences(), { normal: "", alternate: "" });
});
