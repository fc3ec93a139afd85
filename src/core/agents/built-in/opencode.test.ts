import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const opencode = builtInAgents.chatOf("opencode", "");

const screen = "48;2;10;10;10";
const field = "48;2;20;20;20";
const user = (text: string): string => `  {38;2;92;156;245}┃{${field}}  ${text}{0}`;
const tool = (text: string): string => `{${screen}}  {38;2;10;10;10;${field}}┃  {38;2;238;238;238}${text}{0}`;

test("opencode's bars tell who speaks, above its input", () => {
  const rows = [
    user(""),
    user("a question"),
    user(""),
    "",
    "     An answer",
    "     ▣  Build · Model · 2s",
    tool("$ ls out"),
    tool("one file"),
    "     {38;2;128;128;128}→ Read a.txt",
    "",
    user(""),
    user("Build · Model"),
    "  ╹▀▀▀▀▀▀▀▀▀▀▀",
    "   esc interrupt",
  ];
  const frame = drawn(rows, { lines: 16 });
  assert.deepEqual(readings(opencode, frame), [
    "",
    "user: a question",
    "",
    "",
    "assistant: An answer",
    "+ notice: ",
    "+ tool-call: $ ls out",
    "tool-result: one file",
    "+ tool-call: → Read a.txt",
  ]);
  assert.equal(opencode.window(frame)?.isBusy, true);
});

test("opencode's tools have symbols", () => {
  assert.deepEqual(opencode.tool("→ Read a.txt"), { name: "Read", input: "a.txt" });
  assert.deepEqual(opencode.tool("$ ls"), { name: "shell", input: "ls" });
});

test("the panel that wide screens have on the right is no part of what was said", () => {
  const row = (left: string, right: string): string =>
    `{${screen}}${left.padEnd(60)}{${field}}  ${right.padEnd(38)}{0}`;
  const bottom = ["  ┃", "  ╹▀▀▀▀▀▀▀▀▀▀▀"].map((left) => row(left, ""));
  const rows = [row("     An answer", "A title"), row("     goes on", "Context"), row("", "0 tokens"), ...bottom];
  const frame = drawn(rows, { columns: 100, lines: 6 });
  assert.equal(opencode.window(frame)?.columns, 60);
  assert.deepEqual(readings(opencode, frame), ["assistant: An answer", "assistant: goes on"]);
});

test("thoughts of opencode are left out, and rows right under a command belong to it", () => {
  const rows = ["     {38;5;215}+ Thought: 134ms", tool("$ for each in a b; do"), tool("done"), "", user(""), "  ╹▀▀▀"];
  const frame = drawn(rows, { lines: 8 });
  const read = ["+ notice: ", "+ tool-call: $ for each in a b; do", "tool-result: done"];
  assert.deepEqual(readings(opencode, frame)?.slice(0, 3), read);
  assert.equal(opencode.read(frame.lines[2]!, 40).joinsCall, true);
});
