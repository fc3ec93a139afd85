import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { findInputBox } from "../input-box.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const gemini = builtInAgents.chatOf("gemini", "");

const [top, bottom] = ["▄".repeat(40), "▀".repeat(40)];
const edge = "─".repeat(38);
const conversation = [
  top,
  "{=} > a question",
  "{=}   second line",
  bottom,
  "✦",
  "✦ An answer",
  "  {38;5;240}1{0} {38;5;15}code",
  `╭${edge}╮`,
  `│ ✓  {1}Shell{0} ls out${" ".repeat(21)} │`,
  `│${" ".repeat(38)}│`,
  `│ one file${" ".repeat(29)}│`,
  `╰${edge}╯`,
];
const read = [
  "",
  "+ user: a question",
  "user: second line",
  "",
  "+ assistant: ",
  "+ assistant: An answer",
  "... code",
  "skip: ",
  "+ tool-call: Shell ls out",
  "skip: ",
  "tool-result: one file",
  "skip: ",
];

test("Gemini's marks tell who speaks, above its input box", () => {
  const rows = [
    ...conversation,
    "",
    " ⠏ Thinking (esc to cancel, 1s)",
    "─".repeat(40),
    " Shift+Tab",
    top,
    "{=} > ",
    bottom,
    " ~/proj",
  ];
  assert.deepEqual(readings(gemini, drawn(rows, { lines: 24 })), read);
});

test("Gemini's dialog stands in the place of the box", () => {
  const rows = [...conversation, `╭${edge}╮`, `│ ? Shell  rm out${" ".repeat(22)}│`, "│ 1. Allow once", `╰${edge}╯`];
  assert.deepEqual(readings(gemini, drawn(rows, { lines: 24 })), read);
});

test("Without true colours the edges of Gemini's box are rows of its background", () => {
  const plain = conversation.map((row) => (/^[▄▀]+$/u.test(row) ? "{=}" : row));
  const rows = [...plain, "─".repeat(40), " Shift+Tab", "{=}", "{=} > ", "{=}", " workspace (/directory)"];
  assert.deepEqual(readings(gemini, drawn(rows, { lines: 24 })), read);
});

test("With NO_COLOR Gemini's box stands between lines, and nothing is shaded", () => {
  const rule = "─".repeat(40);
  const plain = ["", "> a question", "  second line", "", ...conversation.slice(4)];
  const rows = [...plain, "", rule, " Shift+Tab", rule, " >   Type your message", rule, " workspace (/directory)"];
  const screen = drawn(rows, { lines: 24 });
  assert.deepEqual(readings(gemini, screen), ["", "+ user: a question", "... second line", "", ...read.slice(4)]);
  const profile = builtInAgents.named("gemini");
  assert.equal(findInputBox(screen.lines, profile?.boxes ?? [])?.top, rows.length - 4);
});

test("Gemini's head is a welcome wherever it is printed again", () => {
  const head = [" ▝▜▄     Gemini CLI v0.61.0", "   ▝▜▄", " ▝▀", "", "Tips for getting started:"];
  const rows = [...head, "─".repeat(40), " Shift+Tab", top, "{=} > ", bottom, " ~/proj"];
  const roles = readings(gemini, drawn(rows))?.map((row) => row.split(":")[0]);
  assert.deepEqual(roles, ["welcome", "welcome", "welcome", "", "welcome"]);
});

test("what Gemini tells of its start is no error", () => {
  const rows = ["ℹ Initializing... Prompts will be queued.", "ℹ Request cancelled.", "✕ [API Error: 500]"];
  const screen = drawn([...rows, "─".repeat(40), " Shift+Tab", top, "{=} > ", bottom, " ~/proj"], { columns: 60 });
  assert.deepEqual(readings(gemini, screen), [
    "+ notice: ",
    "+ error: Request cancelled.",
    "+ error: [API Error: 500]",
  ]);
});

test("what Gemini says of a loop in the conversation is no part of an answer", () => {
  const inside = (text: string): string => ` │ ${text.padEnd(35)} │`;
  const dialog = [
    ` ╭${"─".repeat(37)}╮`,
    inside("?  A potential loop was detected"),
    inside(""),
    inside("This can happen due to repetitive"),
    inside("tool calls."),
    inside("● 1. Keep loop detection enabled"),
    inside("  2. Disable loop detection"),
    ` ╰${"─".repeat(37)}╯`,
  ];
  const notice = ["ℹ A potential loop was detected. This", "  can happen due to repetitive calls."];
  const box = [edge.padEnd(40, "─"), " Shift+Tab", top ?? "", "{=} > ", bottom ?? "", " ~/proj"];
  assert.deepEqual(readings(gemini, drawn(["✦ An answer", "", ...dialog], { lines: 16 })), ["+ assistant: An answer"]);
  assert.deepEqual(readings(gemini, drawn(["✦ An answer", "", ...notice, "", ...box], { lines: 16 })), [
    "+ assistant: An answer",
    "",
    "+ error: A potential loop was detected. This",
    "... can happen due to repetitive calls.",
  ]);
});
