import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const cline = builtInAgents.chatOf("cline", "");

const rule = "─".repeat(40);
const conversation = [
  "{=} ❯ a question",
  "",
  " * An answer",
  "   goes on",
  " * {1}read_files({0}a.txt{1})",
  "   ⎿ 3 lines",
  " x {1}run_commands({0}ls{1})",
  "{31}   Error: rejected",
];
const read = [
  "+ user: a question",
  "",
  "+ assistant: An answer",
  "... goes on",
  "+ tool-call: read_files(a.txt)",
  "+ tool-result: 3 lines",
  "+ tool-call: run_commands(ls)",
  "... Error: rejected",
];

test("Cline's marks tell who speaks, above its input", () => {
  const frame = drawn([...conversation, rule, "❯ Ask anything...", rule, " model"], { lines: 14 });
  assert.deepEqual(readings(cline, frame), read);
  assert.equal(cline.window(frame)?.isBusy, false);
});

test("Cline's dialog is a shaded field", () => {
  const rows = [
    ...conversation,
    "{=} ",
    "{=} Cline needs permission",
    "{=} ",
    "{=} Approve tool call?",
    "{=} [y] Approve",
  ];
  assert.deepEqual(readings(cline, drawn(rows, { lines: 14 })), read);
});

test("the mark of an answer turns while it is written", () => {
  const frame = drawn([" ⠏ An answer", rule, "❯ ", rule]);
  assert.deepEqual([readings(cline, frame), cline.window(frame)?.isBusy], [["+ assistant: An answer"], true]);
});
