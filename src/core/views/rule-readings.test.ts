import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { builtInAgents } from "../agents/built-in-agents.ts";
import { readRules } from "./rule-readings.ts";

const rule = "─".repeat(40);
const claude = builtInAgents.named("claude");
assert.ok(claude?.chat);
const rules = { agent: claude, chat: claude.chat, takeRule: () => "some" };

test("a screen is read by each kind of rule", () => {
  const screen = `❯ hi\n\n● Hello!\n${rule}\n❯ \n${rule}\n  ? for shortcuts`;
  const reading = readRules(frameOf(screen, { columns: 40, rows: 12, title: "✳ Claude Code" }), rules);
  assert.deepEqual(reading.title, { rule: "waiting", state: "waiting", text: "✳ Claude Code" });
  assert.equal(reading.screen?.rule, "prompt");
  assert.deepEqual(reading.box, { top: 3, first: 4, last: 4, bottom: 5 });
  assert.equal(reading.dialog, null);
  assert.deepEqual([reading.window?.from, reading.window?.to], [0, 3]);
  assert.deepEqual(
    reading.rows.map(({ role, text }) => `${role}: ${text}`),
    ["user: hi", "null: ", "assistant: Hello!"],
  );
});

test("a dialog is read with its options, and an empty screen as nothing", () => {
  const dialog = `${rule}\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel`;
  const { dialog: found } = readRules(frameOf(dialog, { columns: 40, rows: 12, isCursorHidden: true }), rules);
  assert.deepEqual(found, { question: "Do you want to proceed?", options: ["Yes", "No"] });
  const { screen, window, rows } = readRules(frameOf("x", { columns: 40, rows: 12 }), rules);
  assert.deepEqual([screen, window, rows], [null, null, []]);
});
