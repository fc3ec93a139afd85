import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicStream } from "./write-anthropic.ts";

test("anthropicStream opens and closes each block at its index", () => {
  const toolCalls = [{ id: "a", name: "f", argumentsText: "{}" }];
  const turn = { id: "x", model: "m", text: "hi", toolCalls, finish: "tool_calls" as const };
  const events = anthropicStream(turn, { opened: true, nextIndex: 2, nextSequence: 0 });
  const shown = events.map((event) => {
    const { type, index } = JSON.parse(event.data ?? "") as { type: string; index?: number };
    assert.equal(event.event, type);
    return index === undefined ? type : `${type} ${index}`;
  });
  assert.deepEqual(shown, [
    "content_block_start 2",
    "content_block_delta 2",
    "content_block_stop 2",
    "content_block_start 3",
    "content_block_delta 3",
    "content_block_stop 3",
    "message_delta",
    "message_stop",
  ]);
});
