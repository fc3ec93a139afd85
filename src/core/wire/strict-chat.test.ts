import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignInChat, isPlainChunk } from "./strict-chat.ts";

const call = { index: 0, id: "c", type: "function", function: { name: "sh", arguments: "{}" } };
const chunk = (delta: object, rest: object = {}): Record<string, unknown> => ({
  choices: [{ index: 0, delta, finish_reason: null }],
  ...rest,
});

test("foreignInChat refuses a field of a call that is of another type than its clients take it for", () => {
  const odd = [
    { ...call, index: "0" },
    { ...call, id: 7 },
    { ...call, type: ["function"] },
    { ...call, function: [call.function] },
    { ...call, function: { ...call.function, name: { a: 1 } } },
    { ...call, function: { ...call.function, arguments: ["{}"] } },
    { ...call, function: { ...call.function, arguments: 21 } },
    { index: 0, custom: { name: "patch", input: {} } },
  ];
  for (const each of odd) {
    assert.match(foreignInChat(chunk({ tool_calls: [each] }), true) ?? "", /tool call/, JSON.stringify(each));
  }
  assert.match(foreignInChat(chunk({ tool_calls: call }), true) ?? "", /tool_calls/);
  assert.match(foreignInChat(chunk({ function_call: { name: "sh", arguments: [] } }), true) ?? "", /arguments/);
});

test("foreignInChat takes the calls of an answer that is not streamed one by one", () => {
  const message = (calls: readonly object[]): Record<string, unknown> => ({
    choices: [{ index: 0, message: { tool_calls: calls } }],
  });
  assert.equal(foreignInChat(message([call, { ...call, id: "d" }]), false), undefined);
  assert.match(foreignInChat(message([call, call]), false) ?? "", /one id/);
  assert.match(foreignInChat(message([call, { function: { arguments: "{}" } }]), false) ?? "", /without a name/);
});

test("isPlainChunk is false where some clients would drop the chunk, and with it a piece of a call", () => {
  const usage = { prompt_tokens: 1, completion_tokens_details: { reasoning_tokens: 0 }, is_byok: false, cost: 0.1 };
  assert.ok(isPlainChunk(chunk({ tool_calls: [call] }, { id: "x", created: 1, provider: "p", usage })));
  const odd = [
    chunk({ tool_calls: [call] }, { usage: "none" }),
    chunk({ tool_calls: [call] }, { usage: { prompt_tokens: "1" } }),
    chunk({ tool_calls: [call] }, { usage: { prompt_tokens_details: [] } }),
    chunk({ tool_calls: [call] }, { created: "1" }),
    chunk({ tool_calls: [call] }, { error: "x" }),
    chunk({ tool_calls: [call], role: "user" }),
    chunk({ tool_calls: [call], content: [] }),
    chunk({ tool_calls: [{ ...call, index: 2 ** 31 }] }),
    chunk({ tool_calls: [{ ...call, index: -1 }] }),
    chunk({ tool_calls: [{ ...call, type: "custom" }] }),
    chunk({ tool_calls: [{ ...call, function: { name: "sh", arguments: {} } }] }),
    chunk({ tool_calls: [{ ...call, extra_content: { google: { thought_signature: 1 } } }] }),
    { choices: [{ delta: { tool_calls: [call] } }] },
  ];
  for (const each of odd) assert.ok(!isPlainChunk(each), JSON.stringify(each));
});
