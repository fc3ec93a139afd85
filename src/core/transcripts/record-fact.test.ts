import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecordFact } from "./record-fact.ts";

const base = { agent: "claude", conversation: "c1" };
const message = { kind: "message", id: "a", role: "user", text: "hi", timeMs: 5 };

test("each kind of entry is read as it was written", () => {
  const entries = [
    { kind: "conversation", id: "c1", from: "c0" },
    message,
    { ...message, role: "tool-result", call: "x", tool: "t", agent: "sub", incomplete: "cut" },
    { kind: "taken-back", ids: ["a"], why: "rewound" },
    { kind: "failed", timeMs: 1, text: "no" },
    { kind: "unknown", name: "new-row" },
  ];
  for (const entry of entries) assert.deepEqual(readRecordFact({ ...base, entry }), { ...base, entry });
  assert.deepEqual(readRecordFact({ ...base, stopped: "it was removed" }), { ...base, stopped: "it was removed" });
});

test("what a later version has written otherwise is no fact", () => {
  const others = [
    null,
    "text",
    { entry: message },
    { ...base },
    { ...base, entry: { ...message, role: "narrator" } },
    { ...base, entry: { ...message, text: 7 } },
    { ...base, entry: { kind: "taken-back", ids: [1], why: "rewound" } },
    { ...base, entry: { kind: "taken-back", ids: [], why: "forgotten" } },
    { ...base, entry: { kind: "later" } },
  ];
  for (const payload of others) assert.equal(readRecordFact(payload), null);
});
