import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const qwen = builtInAgents.chatOf("qwen", "");

const rule = "─".repeat(40);
const bar = (text: string, mark = "│"): string => text.padEnd(39) + mark;

test("Qwen's marks tell who speaks, without its scrollbar", () => {
  const rows = [
    bar("  > a question"),
    bar(""),
    bar("  ◆ An answer"),
    bar("    goes on", "█"),
    bar("  {32}✓{0} {1}Shell{0} {90}ls out{0}").padEnd(60),
    "    one file",
    "  ✕ failed",
    "  ⠏ Joking (1s · esc to cancel)",
    rule,
    "> Type your message",
    rule,
  ];
  const frame = drawn(rows);
  assert.deepEqual(readings(qwen, frame)?.slice(0, 4), [
    "+ user: a question",
    "",
    "+ assistant: An answer",
    "... goes on",
  ]);
  assert.deepEqual(readings(qwen, frame)?.slice(5), ["... one file", "+ error: failed"]);
  assert.equal(qwen.window(frame)?.isBusy, true);
});

test("what stands behind a call in full colour is its result", () => {
  const [first, second] = drawn(["    {90}more of the call", "    a result"]).lines;
  assert.equal(qwen.read(first!, 40).behindCall, undefined);
  assert.equal(qwen.read(second!, 40).behindCall, "tool-result");
});

test("Qwen asks below the call that it asks about", () => {
  const rows = [
    "  ◆ I will",
    "  ? {1}Shell{0} rm out             ←",
    "",
    "   Allow execution?",
    "  ⠏ Waiting for user confirmation...",
  ];
  assert.deepEqual(readings(qwen, drawn(rows)), ["+ assistant: I will", "+ tool-call: Shell rm out"]);
});

test("the description behind a command is no input", () => {
  assert.deepEqual(qwen.tool("Shell ls out (List files)"), { name: "Shell", input: "ls out" });
});

test("Qwen Code shows the arguments of a call that failed as JSON", () => {
  const input = 'printf "a";\nexit 3';
  const text = `Shell ${JSON.stringify({ command: input, description: "Runs it" })}`;
  assert.deepEqual(qwen.tool(text), { name: "Shell", input });
  assert.deepEqual(qwen.tool(text.slice(0, 30)), { name: "Shell", input: 'printf "a"' });
  assert.deepEqual(qwen.tool("Shell ls -l (Runs it)"), { name: "Shell", input: "ls -l" });
});

test("that Qwen thought is neither asked nor said", () => {
  const rows = ["  > a question", "", "  ∴ Thought briefly (click or ctrl+o to expand)", "", "  ◆ An answer"];
  const screen = drawn([...rows, "─".repeat(60), "> ", "─".repeat(60)], { columns: 60 });
  const roles = readings(qwen, screen)?.map((row) => row.split(":")[0]);
  assert.deepEqual(roles, ["+ user", "", "+ notice", "", "+ assistant"]);
});

test("Qwen's scrollbar is cut off beside wide letters too", () => {
  const wide = "  ◆ \u4F60\u597D".concat("\u4E16".repeat(16), " ends", " ".repeat(14), "█");
  const edge = "─".repeat(60);
  assert.deepEqual(readings(qwen, drawn([wide, edge, "> ", edge], { columns: 60 })), [
    `+ assistant: 你好${"世".repeat(16)} ends`,
  ]);
});
