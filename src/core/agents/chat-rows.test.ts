import assert from "node:assert/strict";
import { test } from "node:test";
import type { RowRuleData } from "./agent-file.ts";
import { compileRows } from "./chat-rows.ts";
import { drawn } from "./drawn-frame.test.ts";
import { nativePattern } from "./pattern.ts";
import { RowTests } from "./row-test.ts";

function reader(rules: Readonly<Record<string, RowRuleData>>, onRule?: (name: string) => void) {
  const tests = new RowTests({}, nativePattern);
  const scrollbar = nativePattern("█$");
  const read = compileRows(rules, { tests, compile: nativePattern, indent: 2, scrollbar, ...(onRule && { onRule }) });
  return (row: string) => read(drawn([row]).lines[0]!, 40);
}

test("the first rule that fits counts, and its groups are the text", () => {
  const fitted: string[] = [];
  const read = reader(
    {
      command: { text: "^> (/.*)$", role: "command", start: true },
      prompt: { text: "^> (.*)$", role: "user", start: true },
    },
    (name) => fitted.push(name),
  );
  assert.deepEqual(read("> /help"), { role: "command", isStart: true, text: "/help" });
  assert.deepEqual(read("> hi"), { role: "user", isStart: true, text: "hi" });
  assert.deepEqual(read("    more"), { role: null, text: "  more" });
  assert.deepEqual(read(""), { role: null, text: "" });
  assert.deepEqual(fitted, ["command", "prompt"]);
});

test("decoration has no text, and a scrollbar is none of a row", () => {
  const read = reader({ tip: { text: "^Tip", role: "skip" }, blank: { text: "^-+$", role: "blank" } });
  assert.deepEqual(read("Tip: x"), { role: "skip", text: "" });
  assert.deepEqual(read("---"), { role: null, text: "" });
  assert.deepEqual(read(`  text${" ".repeat(33)}█`), { role: null, text: "text" });
});

test("a text is put together, cut and squeezed", () => {
  const read = reader({
    run: { text: "^! (.*)$", as: "$ $1", role: "tool-call", cut: " \\(.*\\)$", summary: { text: "\\d" } },
    wide: { text: "^\\* (.*)$", squeeze: true, hang: 2, behindCall: "tool-result", joinsCall: true },
  });
  assert.deepEqual(read("! ls 1 (x)"), { role: "tool-call", text: "$ ls 1", isSummary: true });
  assert.deepEqual(read("* a   b"), { role: null, text: "a b", hang: 2, behindCall: "tool-result", joinsCall: true });
});
