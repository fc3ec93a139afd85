import assert from "node:assert/strict";
import { test } from "node:test";
import { readAnthropicEvent, readAnthropicMessage } from "./read-anthropic.ts";
import { TurnBuilder } from "./turn-builder.ts";

test("readAnthropicEvent takes input that comes with the block's start", () => {
  const turn = new TurnBuilder();
  const block = { type: "tool_use", id: "a", name: "f", input: { x: 1 } };
  readAnthropicEvent({ type: "content_block_start", index: 0, content_block: block }, turn);
  assert.equal(turn.turn().toolCalls[0]?.argumentsText, '{"x":1}');
});

test("readAnthropicEvent takes a block at a used index for another call", () => {
  const turn = new TurnBuilder();
  for (const id of ["a", "b"]) {
    const block = { type: "tool_use", id, name: "f", input: {} };
    readAnthropicEvent({ type: "content_block_start", index: 0, content_block: block }, turn);
    const delta = { type: "input_json_delta", partial_json: `{"${id}":1}` };
    readAnthropicEvent({ type: "content_block_delta", index: 0, delta }, turn);
  }
  assert.deepEqual(
    turn.turn().toolCalls.map((call) => call.argumentsText),
    ['{"a":1}', '{"b":1}'],
  );
});

test("readAnthropicEvent skips deltas of blocks that are no calls", () => {
  const turn = new TurnBuilder();
  const delta = { type: "input_json_delta", partial_json: "{}" };
  readAnthropicEvent({ type: "content_block_delta", index: 3, delta }, turn);
  readAnthropicEvent({ type: "content_block_stop", index: 3 }, turn);
  assert.deepEqual(turn.take(), []);
});

test("readAnthropicMessage takes messages of any shape", () => {
  for (const message of [{}, { content: 1 }, { content: [null, {}, { type: "tool_use" }] }]) {
    const turn = new TurnBuilder();
    readAnthropicMessage(message, turn);
    assert.equal(turn.turn().finish, "truncated");
  }
});
