import assert from "node:assert/strict";
import { test } from "node:test";
import { chatStream } from "./write-chat.ts";

test("chatStream sends the role first, a call's name before its arguments, and the done marker last", () => {
  const toolCalls = [{ id: "a", name: "f", argumentsText: "{}" }];
  const turn = { id: "x", model: "m", text: "", toolCalls, finish: "tool_calls" as const };
  const data = chatStream(turn, { opened: false, nextIndex: 3, nextSequence: 0 }).map((event) => event.data ?? "");
  const deltas = data
    .slice(0, -1)
    .map((text) => (JSON.parse(text) as { choices: { delta: object }[] }).choices[0]?.delta);
  assert.deepEqual(deltas, [
    { role: "assistant", content: "" },
    { tool_calls: [{ index: 3, id: "a", type: "function", function: { name: "f", arguments: "" } }] },
    { tool_calls: [{ index: 3, function: { arguments: "{}" } }] },
    {},
  ]);
  assert.equal(data.at(-1), "[DONE]");
});
