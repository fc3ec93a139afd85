import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, textOf } from "./blocks.ts";
import { drawn } from "../agents/drawn-frame.test.ts";
import type { RowReading } from "../agents/chat-rows.ts";
import { rowOf, type Row } from "./row.ts";

const row = (text: string, reading: Partial<RowReading> = {}): Row =>
  rowOf(drawn([text]).lines[0]!, { role: null, text, ...reading }, { key: text, limit: 20, line: -1 });
const text = (...rows: string[]): string =>
  textOf(
    rows.map((one) => row(one)),
    null,
  );

test("rows that were wrapped at a blank are joined, others stay lines", () => {
  assert.equal(text("a paragraph that is", "wrapped at twenty"), "a paragraph that is wrapped at twenty");
  assert.equal(text("short line", "and another"), "short line\nand another");
  assert.equal(text("one", "", "", "two"), "one\n\ntwo");
});

test("list items, tables and code stay lines", () => {
  assert.equal(text("- an item that is so", "  wide it wraps", "- two"), "- an item that is so wide it wraps\n- two");
  assert.equal(text("│ a cell that is w │", "│ b              │"), "│ a cell that is w │\n│ b              │");
  assert.equal(text("def a(argument):", "    return 1"), "def a(argument):\n    return 1");
});

test("words that are longer than a row, or broken behind a hyphen, are joined without a blank", () => {
  assert.equal(text("aaaaaaaaaaaaaaaaaaaa", "bbbbbbb"), "aaaaaaaaaaaaaaaaaaaabbbbbbb");
  assert.equal(textOf([row("wide words-and-more-"), row("hyphens")], /\S-$/), "wide words-and-more-hyphens");
  assert.equal(text("全角文字全角文字全角", "文字"), "全角文字全角文字全角文字");
});

test("blocks begin at marks and where the role changes", () => {
  const rows = [
    row("Welcome"),
    row("ask", { role: "user", isStart: true }),
    row(""),
    row("say", { role: "assistant", isStart: true }),
    row("more"),
    row("tip", { role: "skip" }),
    row("run", { role: "tool-call", isStart: true }),
    row("out", { behindCall: "tool-result" }),
    row("done", { role: "notice" }),
  ];
  assert.deepEqual(
    blocksOf(rows, 0, { breaksBehind: null }).map((block) => `${block.role} ${block.start}-${block.end} ${block.text}`),
    [
      "welcome 0-1 Welcome",
      "user 1-2 ask",
      "assistant 3-5 say\nmore",
      "tool-call 6-7 run",
      "tool-result 7-8 out",
      "notice 8-9 done",
    ],
  );
});

test("what looks like an answer before anything was asked is a welcome", () => {
  const rows = [row("hints", { role: "assistant" }), row("ask", { role: "user" }), row("say", { role: "assistant" })];
  const roles = (isBeforeUser: boolean): string[] =>
    blocksOf(rows, 0, { breaksBehind: null, isBeforeUser }).map(({ role }) => role);
  assert.deepEqual(roles(true), ["welcome", "user", "assistant"]);
  assert.deepEqual(roles(false), ["assistant", "user", "assistant"]);
});

test("what looks like a welcome below a prompt is not one", () => {
  const rows = [
    row("Agent 1.0", { role: "welcome" }),
    row("ask", { role: "user" }),
    row("Agent 1.0", { role: "welcome" }),
  ];
  const roles = (isBelowUser: boolean): string[] =>
    blocksOf(rows, 0, { breaksBehind: null, isBelowUser }).map(({ role }) => role);
  assert.deepEqual(roles(false), ["welcome", "user", "tool-result"]);
  assert.deepEqual(roles(true), ["tool-result", "user", "tool-result"]);
});

test("a call is a summary only where no row says what was called", () => {
  const call = (own: string, isSummary: boolean): Row => row(own, { role: "tool-call", isSummary });
  const isSummary = (rows: readonly Row[]): boolean | undefined =>
    blocksOf(rows, 0, { breaksBehind: null })[0]?.isSummary;
  assert.equal(isSummary([call("Ran 2 commands", true)]), true);
  assert.equal(isSummary([call("Running 1 command", true), call("$ ls", false)]), false);
});

test("a row right under a call belongs to it where the agent says so, one behind a blank row does not", () => {
  const under = row("done", { role: "tool-result", joinsCall: true });
  const rows = [row("$ for", { role: "tool-call", isStart: true }), under, row(""), under];
  const told = blocksOf(rows, 0, { breaksBehind: null }).map((block) => `${block.role}: ${block.text}`);
  assert.deepEqual(told, ["tool-call: $ for\ndone", "tool-result: done"]);
});

test("the upper edge of a table, which blanks part from a prompt, is the answer's", () => {
  const rows = [row("ask", { role: "user" }), row(""), row("┌───┐"), row("│ a │", { role: "assistant" })];
  const told = blocksOf(rows, 0, { breaksBehind: null }).map((block) => `${block.role}: ${block.text}`);
  assert.deepEqual(told, ["user: ask", "assistant: ┌───┐\n│ a │"]);
});

test("rows below a prompt that is known whole, however it is wrapped, are not the person's", () => {
  const rows = [
    row("a longer question", { role: "user", isStart: true }),
    row("of a person"),
    row(""),
    row("an answer"),
  ];
  const told = (said: string | null): string[] =>
    blocksOf(rows, 0, { breaksBehind: null, saidAt: () => said }).map(({ role, end }) => `${role} to ${end}`);
  assert.deepEqual(told(null), ["user to 4"]);
  assert.deepEqual(told("alongerquestionofaperson"), ["user to 2", "assistant to 4"]);
});

test("the mark of a message can stand alone in its first row", () => {
  const mark: Row = { ...row(""), role: "assistant", isStart: true };
  assert.equal(textOf([mark, row("text")], null), "text");
});
