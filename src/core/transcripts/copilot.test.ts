import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, entriesOfRows, lineOf } from "../../../test/support/transcript-fixtures.ts";

const start = { type: "session.start", data: { sessionId: "s" } };
const event = (type: string, id: string, data: object) => ({ type, id, data });
const user = (id: string) => event("user.message", id, { content: id });
const lines = (...rows: readonly unknown[]): string[] => entriesOfRows("copilot", ...rows).map(lineOf);

test("events are what was said, as typed", () => {
  assert.deepEqual(entriesOf("copilot", "copilot-1.0.102.jsonl").map(lineOf), [
    "conversation be2142d0-9ddc-450d-b66f-cad1fd75e146",
    "user: please say uniq q0",
    "assistant: Unique reply here. ENDUNIQ.",
    "user: please say alpha one",
    "assistant: Alpha is said, with `code` and **bold**. ENDALPHA.",
    'tool-call bash: {"command":"echo BETA-$((40+2)) | tee beta.flag","descriptio',
    "failed: 400 This model does not exist ETAERR.",
  ]);
});

test("a file that was replaced after a rewind takes back what it does not have", () => {
  const rewind = event("session.info", "i", { infoType: "rewind" });
  assert.deepEqual(lines(start, user("a"), user("b"), user("c"), start, user("a"), rewind, user("d")), [
    "conversation s",
    "user: a",
    "user: b",
    "user: c",
    "rewound: b c",
    "user: d",
  ]);
});

test("two events on one line, calls of a request and of its start, sub-agents, and what is unknown", () => {
  const call = { toolCallId: "t", name: "bash", arguments: { command: "ls" } };
  const rows = [
    event("assistant.message", "a", { content: "", toolRequests: [call] }),
    event("tool.execution_start", "b", { ...call, toolName: "bash" }),
    event("tool.execution_complete", "c", { toolCallId: "t", result: { content: "x" } }),
    event("assistant.message", "d", { content: "inside", parentToolCallId: "t" }),
    event("session.compaction_complete", "e", {}),
    event("sparkle.made", "f", {}),
  ];
  const expected = [
    'tool-call bash: {"command":"ls"}',
    "tool-result: x",
    "assistant by t: inside",
    "compacted: ",
    "unknown: sparkle.made",
  ];
  assert.deepEqual(lines(...rows), expected);
  const one = new TextEncoder().encode(`${rows.map((row) => JSON.stringify(row)).join("")}\0\0\n`);
  assert.deepEqual(entriesOf("copilot", one).map(lineOf), expected);
});
