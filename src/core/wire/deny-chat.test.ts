import assert from "node:assert/strict";
import { test } from "node:test";
import { denyChatAnswer, denyChatEvents } from "./deny-chat.ts";
import { readAnswer } from "./wire-reader.ts";

const call = (id: string): object => ({ id, type: "function", function: { name: id, arguments: "{}" } });
const message = {
  role: "assistant",
  content: null,
  tool_calls: [call("a"), { ...call("b"), extra_content: { sign: 1 } }],
};
const body = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
const denied = { turn: readAnswer("openai-chat", JSON.stringify(body)).turn, denials: new Map([[0, "no"]]) };

test("denyChatAnswer keeps what a server adds to the calls that are left, and takes calls out of further choices", () => {
  const answer = denyChatAnswer({ choices: [...body.choices, ...body.choices] }, denied);
  assert.deepEqual(answer["choices"], [
    {
      index: 0,
      message: {
        role: "assistant",
        content: '[Lectern] The tool call "a" was refused and not executed: no',
        tool_calls: [{ extra_content: { sign: 1 }, ...call("b") }],
      },
      finish_reason: "tool_calls",
    },
    { index: 0, message: { role: "assistant", content: null }, finish_reason: "tool_calls" },
  ]);
});

test("denyChatEvents keeps the text that stands in a chunk beside calls", () => {
  const delta = { content: "so", tool_calls: [{ index: 0, ...call("a") }] };
  const payloads = [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    { choices: [], usage: { prompt_tokens: 1 } },
  ];
  const events = payloads.map((payload) => ({ event: { event: "message", data: "", id: "" }, payload }));
  const deltas = denyChatEvents(events, denied).map(({ data }) => {
    const { choices } = JSON.parse(data) as { choices: { delta: object; finish_reason: string | null }[] };
    return choices.map((choice) => [Object.keys(choice.delta), choice.finish_reason]);
  });
  assert.deepEqual(deltas, [
    [[["content"], null]],
    [[["content"], null]],
    [[["tool_calls"], null]],
    [[[], "tool_calls"]],
    [],
  ]);
});
