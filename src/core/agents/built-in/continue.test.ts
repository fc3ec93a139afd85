import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const chat = builtInAgents.chatOf("continue", "");

const box = [`╭${"─".repeat(38)}╮`, "│ ● ▋Ask anything", `╰${"─".repeat(38)}╯`, "  ~/work  ◉ Continue CLI"];
const conversation = [
  "{34}●{0} {2}a question",
  "",
  "{37}●{0} An answer",
  "",
  "{32}●{37} {1}Bash{0}{37}(ls)",
  "{2}  ⎿  Terminal output:",
  "    {37}one.txt",
  "{2}    ... +3 lines",
  "",
  "{37} {0} One file.",
];
const read = [
  "+ user: a question",
  "",
  "+ assistant: An answer",
  "",
  "+ tool-call: Bash(ls)",
  "+ tool-result: Terminal output:",
  "... one.txt",
  "...   ... +3 lines",
  "",
  "assistant: One file.",
];

test("Continue's colours tell a prompt from an answer and from a call, above its spinner and its box", () => {
  const quiet = drawn([...conversation, "", ...box], { lines: 16 });
  assert.deepEqual([readings(chat, quiet), chat.window(quiet)?.isBusy], [read, false]);
  const busy = drawn([...conversation, "", " ⣿⣿⣿  ( 0s • esc to interrupt )", ...box], { lines: 16 });
  assert.deepEqual([readings(chat, busy), chat.window(busy)?.isBusy], [read, true]);
});

test("a long answer of Continue has lost its mark", () => {
  assert.deepEqual(readings(chat, drawn(["{34}●{0} {2}a question", "", " A long answer", "  goes on", "", ...box])), [
    "+ user: a question",
    "",
    "assistant: A long answer",
    "assistant: goes on",
  ]);
});
