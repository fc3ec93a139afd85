import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutEcho, withoutPrompt } from "./strip-echo.ts";

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

test("withoutPrompt cuts the last line, or only the prompt if that is known", () => {
  assert.equal(withoutPrompt("42\n>>> ", ""), "42\n");
  assert.equal(withoutPrompt(">>> ", ">>> "), "");
  assert.equal(withoutPrompt("no line feed>>> ", ">>> "), "no line feed");
  assert.equal(withoutPrompt("42\nuser@lab:~$ ", "$$ "), "42\n");
});

test("a line of several rows that its editor draws again with each key is one echo", () => {
  const input = "await reader.question('name?')";
  const drawn = ["> await reader.q\nu", "> await reader.q\nue", `> ${input}`].join("\n");
  assert.equal(withoutEcho(`await reader.q\n${drawn}\nname?`, input, "> "), "name?");
  assert.equal(withoutEcho(`${input}\n> ${input}\n> ${input}\n42\n`, input, "> "), "42\n");
  assert.equal(
    withoutEcho(`${input}\n> await reader.question\n42\n`, input, "> "),
    "42\n",
    "the second row is overwritten",
  );
  assert.equal(withoutEcho("1\n> 1\n1\n", "1", ">> "), "> 1\n1\n");
  assert.equal(withoutEcho("other\n> text\n", input, "> "), "other\n> text\n");
});
