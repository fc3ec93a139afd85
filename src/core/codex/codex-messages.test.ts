import assert from "node:assert/strict";
import { test } from "node:test";
import { CODEX_SERVER, keptMessage, codexMessageIn } from "./codex-messages.ts";

test("messages that no view needs are left out, and long ones are cut", () => {
  assert.equal(keptMessage({ method: "item/agentMessage/delta", params: {} }), null);
  assert.equal(keptMessage({ id: 1, result: {} }), null);
  const long = keptMessage({ method: "item/completed", params: { item: { aggregatedOutput: "x".repeat(1e6) } } });
  assert.ok(JSON.stringify(long).length < 9000);
  let deep: unknown = "end";
  for (let level = 0; level < 10_000; level++) deep = [deep];
  assert.ok(JSON.stringify(keptMessage({ method: "item/started", params: { deep } })).length < 200);
});

test("a fact of the server is its message, one of another source is not", () => {
  const payload = { id: 0, method: "thread/started", params: { thread: {} }, more: 1 };
  const { more: _, ...message } = payload;
  assert.deepEqual(codexMessageIn({ type: "fact", source: CODEX_SERVER, id: "1", payload }), message);
  assert.equal(codexMessageIn({ type: "fact", source: "record", id: "1", payload }), null);
  assert.equal(codexMessageIn({ type: "fact", source: CODEX_SERVER, id: "1", payload: "text" }), null);
});
