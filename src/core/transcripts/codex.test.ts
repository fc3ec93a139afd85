import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, entriesOfRows, lineOf } from "../../../test/support/transcript-fixtures.ts";

const THREAD = "01a21eff-9de9-7972-8c31-edc39730ac04";
const item = (ordinal: number, type: string, id: string, more: object) => ({
  type: "event_msg",
  ordinal,
  timestamp: "2026-11-27T21:36:27.366Z",
  payload: { type: "item_completed", item: { type, id, ...more } },
});
const said = (ordinal: number, id: string, text: string) => item(ordinal, "UserMessage", id, { content: [{ text }] });
const meta = (id: string, more: object = {}) => ({ type: "session_meta", payload: { id, ...more } });
const event = (type: string, more: object) => ({ type: "event_msg", payload: { type, ...more } });
const lines = (...rows: readonly unknown[]): string[] => entriesOfRows("codex", ...rows).map(lineOf);

test("items are what was said; what the model is sent is not said again", () => {
  assert.deepEqual(entriesOf("codex", "codex-0.171.0.jsonl").map(lineOf), [
    "conversation 01a21ef0-235a-70f1-8817-abc54848a585",
    "user: please say uniq q0",
    "assistant: Unique reply here. ENDUNIQ.",
    'tool-call exec_command: {"cmd":"echo BETA-$((40+2)) | tee beta.flag","sandbox_permis',
    "tool-result: BETA-42\n",
  ]);
});

test("a segment takes back what is after its base, a fork names its origin", () => {
  const first = [
    meta(THREAD, { history_mode: "paginated" }),
    said(8, "a", "kept"),
    said(16, "b", "left"),
    said(20, "c", "left too"),
  ];
  const before = new TextEncoder().encode(first.map((row) => `${JSON.stringify(row)}\n`).join(""));
  assert.deepEqual(entriesOf("codex", before, "codex-0.171.0-rewind-segment.jsonl").map(lineOf).slice(4), [
    "rewound: b c",
    "user: edited prompt xi",
    "assistant: Edited answer. ENDXI.",
  ]);
  assert.deepEqual(entriesOf("codex", before, "codex-0.171.0-fork.jsonl").map(lineOf).slice(4), [
    "conversation 01a21ef3-fe12-7ea3-9de0-72254287e51f from 01a21ef3-ad20-7373-938c-0c2f1ebe27e5",
    "user: after the clear mu DDD",
  ]);
});

test("before 0.148 events of their own have the words, and a rollback counts turns", () => {
  const rows = [
    meta("new", { forked_from_id: "old" }),
    meta("old"),
    event("user_message", { message: "one" }),
    event("agent_message", { message: "ONE" }),
    event("user_message", { message: "two" }),
    { type: "response_item", payload: { type: "message", role: "user", content: [{ text: "two" }] } },
    { type: "response_item", payload: { type: "function_call", name: "shell", call_id: "c", arguments: "{}" } },
    { type: "response_item", payload: { type: "function_call_output", call_id: "c", output: '{"output":"ran"}' } },
    event("thread_rolled_back", { num_turns: 1 }),
    { type: "compacted", payload: {} },
  ];
  assert.deepEqual(lines(...rows), [
    "conversation new from old",
    "user: one",
    "assistant: ONE",
    "user: two",
    "tool-call shell: {}",
    "tool-result: ran",
    "rewound: message-3 c c:result",
    "compacted: ",
  ]);
});

test("the whole output of a command, commands of the user, failures, and what is unknown", () => {
  const output = { type: "response_item", payload: { type: "function_call_output", call_id: "c", output: "cut" } };
  const rows = [
    meta("a", { history_mode: "paginated" }),
    item(1, "CommandExecution", "c", { aggregated_output: "whole" }),
    output,
    item(3, "CommandExecution", "u", { source: "user_shell", command: ["bash", "-lc", "ls"], aggregated_output: "x" }),
    item(4, "ContextCompaction", "k", {}),
    item(5, "Hologram", "h", {}),
    event("user_message", { message: "repeated" }),
    event("task_complete", { error: { message: "400" } }),
    event("task_complete", {}),
    event("sparkle", {}),
    { type: "glitter" },
  ];
  assert.deepEqual(lines(...rows).slice(1), [
    "tool-result: whole",
    "command: !ls",
    "tool-result: x",
    "compacted: ",
    "unknown: item/Hologram",
    "failed: 400",
    "unknown: event/sparkle",
    "unknown: glitter",
  ]);
});
