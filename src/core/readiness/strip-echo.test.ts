import assert from "node:assert/strict";
import { test } from "node:test";
import { splitPrompt, withoutEcho } from "./strip-echo.ts";

test("withoutEcho cuts the line on which the input was echoed", () => {
  assert.equal(withoutEcho("print(6 * 7)\n42\n>>> ", "print(6 * 7)"), "42\n>>> ");
  assert.equal(withoutEcho("x\nx\n", "x"), "x\n");
});

test("withoutEcho takes an echo that the terminal has broken into lines", () => {
  assert.equal(withoutEcho("echo aaaa\nbbbb \ncccc\nout\n", "echo aaaabbbb cccc"), "out\n");
});

test("withoutEcho cuts the echo of several lines with the prompts between them", () => {
  assert.equal(withoutEcho("def f():\n...   return 3\n... \n>>> ", "def f():\n  return 3\n"), ">>> ");
});

test("withoutEcho cuts a prompt that is drawn anew with the echo", () => {
  assert.equal(withoutEcho("> 6 * 7\n42\n> ", "6 * 7", "> "), "42\n> ");
  assert.equal(withoutEcho("6 * 7\n42\n> ", "6 * 7", "> "), "42\n> ");
});

test("withoutEcho leaves text that is no echo", () => {
  assert.equal(withoutEcho("42\n", "6*7"), "42\n");
  assert.equal(withoutEcho("", "6*7"), "");
  assert.equal(withoutEcho("6*7 is 42\n", "6*7"), "6*7 is 42\n");
});

test("withoutEcho cuts an echo that nothing follows", () => {
  assert.equal(withoutEcho("sleep 5", "sleep 5"), "");
});

test("splitPrompt cuts the last line, or the whole prompt where it is known", () => {
  assert.deepEqual(splitPrompt("42\n>>> "), { output: "42\n", prompt: ">>> " });
  assert.deepEqual(splitPrompt(">>> "), { output: "", prompt: ">>> " });
  assert.deepEqual(splitPrompt("42\n~/x\n$ ", "~/x\n$ "), { output: "42\n", prompt: "~/x\n$ " });
  assert.deepEqual(splitPrompt("42\na~/x\n$ ", "~/x\n$ "), { output: "42\na~/x\n", prompt: "$ " });
});
