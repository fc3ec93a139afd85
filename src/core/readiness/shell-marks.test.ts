import assert from "node:assert/strict";
import { test } from "node:test";
import { markParameter, readShellMark, type ShellMark } from "./shell-marks.ts";

const mark = (command: number, data: string, nonce: string | null = null): ShellMark | undefined =>
  readShellMark({ offset: 0, end: 1, command, data }, nonce);

test("readShellMark reads the letters of 133 and of 633", () => {
  for (const command of [133, 633]) {
    assert.deepEqual(mark(command, "A"), { type: "prompt-start" });
    assert.deepEqual(mark(command, "B"), { type: "prompt-end" });
    assert.deepEqual(mark(command, "C"), { type: "output-start" });
    assert.deepEqual(mark(command, "D;127"), { type: "output-end", exitCode: 127 });
    assert.deepEqual(mark(command, "P;k=s"), { type: "continuation" });
  }
});

test("readShellMark reads the command line of 633 with its escapes", () => {
  assert.deepEqual(mark(633, "E;echo a\\x3b echo \\\\n"), { type: "command-line", text: "echo a; echo \\n" });
  assert.equal(mark(133, "E;echo"), undefined);
});

test("readShellMark gives no exit code where there is none, or what is no number", () => {
  for (const data of ["D", "D;", "D;$?", "D;-1", "D;1e3"]) {
    assert.deepEqual(mark(133, data), { type: "output-end", exitCode: null }, data);
  }
});

test("readShellMark refuses a mark without the nonce of the session", () => {
  assert.equal(mark(133, "D;0", "5f"), undefined);
  assert.equal(mark(133, "D;0;n=5e", "5f"), undefined);
  assert.equal(mark(133, "D;0;n=5f0", "5f"), undefined);
  assert.equal(mark(133, "C;x=n=5f", "5f"), undefined);
  assert.deepEqual(mark(133, `D;0;${markParameter("5f")}`, "5f"), { type: "output-end", exitCode: 0 });
});

test("readShellMark knows no other sequence", () => {
  assert.equal(mark(7, "A"), undefined);
  assert.equal(mark(133, ""), undefined);
  assert.equal(mark(133, "Z"), undefined);
  assert.equal(mark(133, "P;k=i"), undefined);
});
