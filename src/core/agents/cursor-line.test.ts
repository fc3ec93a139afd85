import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { cursorLine, looksLikePrompt } from "./cursor-line.ts";

test("the cursor's line is cut at the cursor", () => {
  assert.deepEqual(cursorLine(frameOf("one\nuser@lab:~$ ls| -1", { columns: 20 })), {
    before: "user@lab:~$ ls",
    after: " -1",
  });
});

test("a blank in front of the cursor stays", () => {
  assert.equal(cursorLine(frameOf("$ |", { columns: 20 })).before, "$ ");
});

test("rows that the terminal wrapped are one line", () => {
  const frame = frameOf("$ echo 0123456789 abc|", { columns: 10 });
  assert.equal(cursorLine(frame).before, "$ echo 0123456789 abc");
});

test("wide characters take two columns", () => {
  assert.deepEqual(cursorLine(frameOf("漢字> |x", { columns: 20 })), { before: "漢字> ", after: "x" });
});

test("lines that end like prompts look like prompts", () => {
  const prompts = ["user@lab:~/src$ ", "# ", "➜ ~/proj %", ">>> ", "(gdb) ", "sqlite> "];
  const others = ["", "50%", "hello", "Continue?", "Enter name: ", "x".repeat(300) + "$"];
  assert.deepEqual(
    prompts.map(looksLikePrompt),
    prompts.map(() => true),
  );
  assert.deepEqual(
    others.map(looksLikePrompt),
    others.map(() => false),
  );
});
