import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProtocolMark } from "../records.ts";
import { ProtocolReader } from "./protocol-reader.ts";

const mark = (stream: ProtocolMark["stream"], message: object): ProtocolMark => ({
  type: "protocol",
  stream,
  text: `${JSON.stringify(message)}\n`,
});
const prompt = mark("client", { id: 1, method: "session/prompt", params: { prompt: [{ type: "text", text: "é" }] } });
const asked = mark("agent", {
  id: 0,
  method: "session/request_permission",
  params: { toolCall: { toolCallId: "c", title: "touch" }, options: [{ optionId: "y", name: "Yes" }] },
});

test("a program works while a prompt has no answer, is blocked while it asks, and then waits", () => {
  const reader = new ProtocolReader();
  assert.equal(reader.take(prompt)?.state, "working");
  assert.equal(reader.take(asked)?.state, "blocked");
  const answer = mark("client", { id: 0, result: { outcome: { outcome: "selected", optionId: "y" } } });
  assert.equal(reader.take(answer)?.state, "working");
  assert.equal(reader.take(mark("agent", { id: 1, result: { stopReason: "end_turn" } }))?.state, "waiting");
  assert.equal(reader.take({ type: "protocol", stream: "stderr", text: "warning\n" }), null);
});

test("a mark may end inside of a line and of a character, and a saved reader goes on there", () => {
  const bytes = Buffer.from(prompt.text);
  const middle = bytes.indexOf(0xc3) + 1;
  const first = new ProtocolReader();
  const base64 = bytes.subarray(0, middle).toString("base64");
  assert.deepEqual(first.take({ ...prompt, text: base64, encoding: "base64" })?.events, []);
  const saved = JSON.parse(JSON.stringify(first.save())) as ReturnType<ProtocolReader["save"]>;
  const second = new ProtocolReader(saved);
  const rest = second.take({ ...prompt, text: bytes.subarray(middle).toString("base64"), encoding: "base64" });
  assert.deepEqual(rest?.events, [{ type: "turn-start", turn: "1", prompt: "é" }]);
});

test("what a program asks is gone when it ends, and who answered is known", () => {
  const reader = new ProtocolReader();
  assert.equal(reader.end(), null);
  reader.take(asked);
  reader.take({ type: "approval-answer", approval: "p1", option: "y", by: "anna" });
  const end = reader.end();
  assert.equal(end?.events[0]?.type, "question-gone");
  assert.deepEqual(end?.answered, { approval: "p1", by: "anna" });
});
