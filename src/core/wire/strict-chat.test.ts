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

/** What an answer has that clients read in different ways; null for one that all read alike. */
const answers: readonly (readonly [chunk: object, isStream: boolean, foreign: string | null])[] = [
  [{}, true, null],
  [{ choices: [] }, true, null],
  [{ choices: [{ delta: null }] }, true, null],
  [{ choices: [{ index: 0, message: { content: "a", function_call: null } }] }, false, null],
  [{ choices: [{ delta: { function_call: { name: "sh", arguments: "{}" } } }] }, true, null],
  [{ tool_calls: [call] }, true, 'the field "tool_calls"'],
  [{ choices: { 0: {} } }, true, "the choices"],
  [{ choices: [{}, {}] }, true, "choices beside the first one"],
  [{ choices: ["a"] }, true, "choices beside the first one"],
  [{ choices: [{ index: 1 }] }, true, "choices beside the first one"],
  [{ choices: [{ tool_calls: [call] }] }, true, 'the field "tool_calls"'],
  [{ choices: [{ text: { tool_calls: [call] } }] }, true, "the text of a choice"],
  [{ choices: [{ delta: {}, message: {} }] }, true, "a delta beside a message"],
  [{ choices: [{ message: { content: "a" } }] }, true, "a message in a stream"],
  [{ choices: [{ delta: { content: "a" } }] }, false, "a delta in an answer that is not streamed"],
  [{ choices: [{ logprobs: { tool_calls: [call] } }] }, true, 'the field "logprobs"'],
  [{ choices: [{ delta: "sh" }] }, true, 'the field "delta"'],
  [{ choices: [{ delta: { tools: [call] } }] }, true, 'the field "tools"'],
  [{ choices: [{ delta: { content: { tool_calls: [call] } } }] }, true, "the content"],
  [{ choices: [{ delta: { audio: { tool_calls: [call] } } }] }, true, 'the field "audio"'],
  [{ choices: [{ delta: { tool_calls: ["sh"] } }] }, true, "a tool call"],
  [{ choices: [{ delta: { tool_calls: [{ ...call, custom: { name: "p" } }] } }] }, true, "a tool call"],
  [{ choices: [{ delta: { tool_calls: [{ ...call, Function: {} }] } }] }, true, 'the field "Function" of a tool call'],
];

for (const [answer, isStream, foreign] of answers)
  test(`foreignInChat, ${isStream ? "streamed" : "whole"}: ${JSON.stringify(answer)}`, () => {
    assert.equal(foreignInChat(answer as Record<string, unknown>, isStream) ?? null, foreign);
  });
