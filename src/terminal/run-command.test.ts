import assert from "node:assert/strict";
import { test } from "node:test";
import { RunCollector, withoutPrompt } from "./run-command.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const atPrompt = { reason: "mark", asks: "command", foreground: null, exit: null } as const;

function collector(): RunCollector {
  const run = new RunCollector({ byMarks: true, hasMarks: true, handed: "" }, { bytesMax: 1000, blobs: undefined });
  run.feed(bytes("1"), [{ type: "command-start" }, { type: "output", bytes: bytes("1") }]);
  return run;
}

test("an output between the marks of a shell is exact, with its exit code", () => {
  const run = collector();
  run.feed(bytes("2"), [
    { type: "output", bytes: bytes("2") },
    { type: "command-end", exitCode: 0 },
  ]);
  const { output, exact, exitCode, ended, omitted } = run.result(atPrompt, "");
  assert.deepEqual([output, exact, exitCode, ended, omitted], ["12", true, 0, true, null]);
});

test("where a part was gone before it was read, the rest is given, and no exit code", () => {
  const run = collector();
  run.gap(700);
  run.feed(bytes("9"), []);
  const { output, exact, exitCode, ended, omitted } = run.result(atPrompt, "");
  assert.deepEqual([output, exact, exitCode, ended], ["1\n[... 700 bytes missing ...]\n9", false, null, true]);
  assert.equal(omitted?.totalBytes, 702);
});

test("what a shell says of a command that it does not run is its output, and no row of the next prompt", () => {
  const run = new RunCollector({ byMarks: true, hasMarks: true, handed: "fi" }, { bytesMax: 1000, blobs: undefined });
  run.feed(bytes("fi\r\nbash: syn"), []);
  const rest = bytes("tax error\r\n\r\n~/work\r\n> ");
  run.feed(rest, [{ type: "act", id: "1", answer: "skipped", index: 11 }, { type: "prompt" }]);
  run.feed(bytes("~/work\r\n> "), []);
  const { output, ran, ended, exact } = run.result(atPrompt, "> ");
  assert.deepEqual([output, ran, ended, exact], ["bash: syntax error\n", false, false, false]);
});

test("withoutPrompt cuts the last line, or only the prompt if that is known", () => {
  assert.equal(withoutPrompt("42\n>>> ", ""), "42\n");
  assert.equal(withoutPrompt(">>> ", ">>> "), "");
  assert.equal(withoutPrompt("no line feed>>> ", ">>> "), "no line feed");
  assert.equal(withoutPrompt("42\nuser@lab:~$ ", "$$ "), "42\n");
});
