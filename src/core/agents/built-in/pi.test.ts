import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../built-in-agents.ts";
import { drawn, readings } from "../drawn-frame.test.ts";

const pi = builtInAgents.chatOf("pi", "");

const shade = (colour: string, text: string): string => `{48;2;${colour}}${text.padEnd(40)}{0}`;
const [user, done] = ["52;53;65", "40;50;40"];
const rule = "─".repeat(40);

test("pi's backgrounds tell who speaks", () => {
  const rows = [
    "",
    shade(user, ""),
    shade(user, " a question"),
    shade(user, ""),
    "",
    " An answer",
    "",
    shade(done, ""),
    shade(done, " {1}$ ls out{22}"),
    shade(done, " one file"),
    shade(done, " Took 0.1s"),
    " {38;2;204;102;102}Operation aborted",
    rule,
    "",
    rule,
    "~/proj",
  ];
  const frame = drawn(rows, { columns: 40, lines: 20 });
  assert.deepEqual(readings(pi, frame), [
    "",
    "",
    "+ user: a question",
    "",
    "",
    "assistant: An answer",
    "",
    "",
    "+ tool-call: $ ls out",
    "... one file",
    "skip: ",
    "error: Operation aborted",
  ]);
  assert.equal(pi.window(frame)?.isBusy, false);
});

test("pi works while its rule says so", () => {
  const frame = drawn([" An answer", "── ⠏ Working ───────", "", rule, "~/proj"]);
  assert.deepEqual([readings(pi, frame), pi.window(frame)?.isBusy], [["assistant: An answer"], true]);
});

test("pi's backgrounds in 256 colours", () => {
  const shaded = (colour: number, text: string): string => `{48;5;${colour}}${text.padEnd(40)}{0}`;
  const frame = drawn(["", shaded(59, " a question"), "", shaded(22, " {1}$ ls{22}"), rule, "", rule], { columns: 40 });
  assert.deepEqual(readings(pi, frame), ["", "+ user: a question", "", "+ tool-call: $ ls"]);
});

test("what a diff takes away is no error, and a thought is no answer", () => {
  const rows = [
    " Look:",
    "",
    " ```diff",
    "   {31}-gone{0}",
    "   +new",
    " ```",
    "",
    " {31}Error: 500{0}",
    "",
    " {3;38;5;244}A thought",
  ];
  assert.deepEqual(readings(pi, drawn([...rows, "─".repeat(40), "", "─".repeat(40)], { lines: 16 })), [
    "assistant: Look:",
    "",
    "assistant: ```diff",
    "...   -gone",
    "assistant:   +new",
    "assistant: ```",
    "",
    "error: Error: 500",
    "",
    "notice: ",
  ]);
});
