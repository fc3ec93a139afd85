import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const claude = builtInAgents.chatOf("claude", "");

const rule = "─".repeat(40);
const conversation = [
  "{=}❯ first line",
  "{=}  second line",
  "",
  "{38;2;255;255;255}●{0} An answer",
  "  goes on",
  "",
  "{38;5;114}●{0} {1}Write{0}(a.txt)",
  "  ⎿  Wrote 2 lines",
  "{38;5;246}  Ran {1}1{22} shell command",
  "{38;5;246}✻ Worked for 2s",
];
const read = [
  "+ user: first line",
  "user: second line",
  "",
  "+ assistant: An answer",
  "... goes on",
  "",
  "+ tool-call: Write(a.txt)",
  "+ tool-result: Wrote 2 lines",
  "+ tool-call: Ran 1 shell command",
  "notice: ",
];

test("Claude's marks tell who speaks, above its input box", () => {
  const rows = [
    ...conversation,
    "",
    "{38;5;174}✢ Thinking… (3s)",
    "  ⎿  Tip: none",
    "",
    rule,
    "❯ typed",
    rule,
    "  ? for shortcuts",
  ];
  const frame = drawn(rows, { lines: 20 });
  assert.deepEqual(readings(claude, frame), read);
  assert.equal(claude.window(frame)?.isBusy, true);
});

test("Claude's dialog stands in the place of the box", () => {
  const rows = [
    ...conversation,
    "",
    rule,
    " Bash command",
    " Do you want to proceed?",
    " ❯ 1. Yes",
    "   2. No",
    "",
    " Esc to cancel",
  ];
  assert.deepEqual(readings(claude, drawn(rows, { lines: 20 })), read);
});

test("commands that are suggested are no part of what was said", () => {
  const suggested = [
    "  ❯ /clear             Start a new session",
    "                       with less",
    "    /close  Close",
  ];
  const rows = ["{38;5;15}●{0} Done", "            far in", "", ...suggested, rule, "❯ /cl", rule];
  assert.deepEqual(readings(claude, drawn(rows, { columns: 44 })), ["+ assistant: Done", "...           far in"]);
});

test("what was run is summed up, also where some of it failed", () => {
  const rows = ["  {38;5;246}Ran {1}2{22} shell commands{0} · {38;5;211}1 failed", rule, "❯ ", rule];
  assert.deepEqual(readings(claude, drawn(rows)), ["+ tool-call: Ran 2 shell commands · 1 failed"]);
});

test("a screen without box or dialog is not read", () => {
  assert.equal(readings(claude, drawn(["Settings", "  Theme: dark"])), null);
});

test("a screen on which a dialog is painted over the box is not read", () => {
  const dialog = [rule, " Bash command", "╌".repeat(40), " ls", "╌".repeat(40)];
  assert.equal(
    readings(claude, drawn(["{38;5;15}●{0} Done", ...dialog, "  Running 2 commands…", rule, "❯ ", rule])),
    null,
  );
});

test("failures, interrupts and commands to Claude itself", () => {
  const rows = [
    "{=}❯ /clear",
    "  ⎿  Interrupted · What should Claude do instead?",
    "{38;5;15}●{0} API Error: 400",
    "",
    rule,
    "❯ ",
    rule,
  ];
  assert.deepEqual(readings(claude, drawn(rows, { columns: 60 })), [
    "+ command: /clear",
    "+ error: Interrupted · What should Claude do instead?",
    "+ error: API Error: 400",
  ]);
});

test("Claude's shell tool is told by its command", () => {
  assert.deepEqual(claude.tool("Printing\n$ echo 1"), { name: "Bash", input: "echo 1" });
});

test("the mark of an answer is black or white, that of a tool is not, with 256 colours as well", () => {
  const rows = [15, 231, 16, 71, 246].map((colour) => `{38;5;${colour}}●{0} Words`);
  assert.deepEqual(readings(claude, drawn([...rows, rule, "❯ ", rule])), [
    ...Array.from({ length: 3 }, () => "+ assistant: Words"),
    ...Array.from({ length: 2 }, () => "+ tool-call: Words"),
  ]);
});

test("what the footer says of the effort is no input of a tool", () => {
  const rows = [
    "  ⎿  $ ls",
    `${" ".repeat(20)}{38;5;246}◐ medium · /effort{0}`,
    "{38;5;15}●{0} Done",
    rule,
    "❯ ",
    rule,
  ];
  assert.deepEqual(readings(claude, drawn(rows)), ["tool-call: $ ls", "skip: ", "+ assistant: Done"]);
});

test("how long Claude thought is neither said nor called", () => {
  const rows = [
    "{=}❯ a question",
    "",
    "{38;5;246}  Thought for {1}1s",
    "{38;5;246}●{0} Thinking for 1s…",
    rule,
    "❯ ",
    rule,
  ];
  assert.deepEqual(readings(claude, drawn(rows)), ["+ user: a question", "", "+ notice: ", "+ notice: "]);
  assert.deepEqual(readings(claude, drawn(["{38;5;15}●{0} Thought for 2 weeks", rule, "❯ ", rule])), [
    "+ assistant: Thought for 2 weeks",
  ]);
});
