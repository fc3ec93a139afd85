import assert from "node:assert/strict";
import { test } from "node:test";
import { wireTurn } from "../../../../test/marks.ts";
import { chatSpan } from "./chat-span.ts";

const open = {
  traceId: "a".repeat(32),
  dialect: "gemini",
  model: "g",
  startUs: 10,
  prompt: null,
  conversation: {},
} as const;

test("an answer with an error is an error with its type, one of HTTP with its code", () => {
  const end = { spanId: "b".repeat(16), endUs: 5, text: null };
  const broken = chatSpan(open, wireTurn({ error: { type: "MALFORMED", message: "no JSON" }, attempts: 3 }), end);
  assert.deepEqual(broken.status, { code: 2, message: "no JSON" });
  assert.deepEqual([broken.kind, broken.startTimeUnixNano, broken.endTimeUnixNano], [3, "10000", "10000"]);
  const text = JSON.stringify(broken.attributes);
  assert.match(text, /"gcp\.gemini"/);
  assert.match(text, /"http\.request\.resend_count","value":\{"intValue":"2"\}/);
  assert.match(JSON.stringify(chatSpan(open, wireTurn({ status: 529 }), end).attributes), /"error\.type".*"529"/);
});
