import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const copilot = builtInAgents.chatOf("copilot", "");

test("Copilot's marks tell who speaks, without its scrollbar and its spinner", () => {
  const rows = [
    "❯ a question",
    "",
    "● An answer".padEnd(39) + "┃",
    "● {1}Shell{0} list files",
    "  $ ls out",
    "  └ one file",
    "● Working · 192 B esc esc interrupt",
    "────────────────",
    "❯ ",
    "────────────────",
    " / commands",
  ];
  const frame = drawn(rows);
  assert.deepEqual(readings(copilot, frame), [
    "+ user: a question",
    "",
    "+ assistant: An answer",
    "+ tool-call: Shell list files",
    "... $ ls out",
    "+ tool-result: one file",
  ]);
  assert.equal(copilot.window(frame)?.isBusy, true);
});
