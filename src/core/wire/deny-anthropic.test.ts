import assert from "node:assert/strict";
import { test } from "node:test";
import { denyAnthropicAnswer, denyAnthropicEvents } from "./deny-anthropic.ts";
import { readAnswer } from "./wire-reader.ts";

const call = (name: string): object => ({ type: "tool_use", id: name, name, input: {} });
const parsed = (payload: Record<string, unknown>) => ({ event: { event: "message", data: "", id: "" }, payload });

test("denyAnthropicEvents tells two blocks apart that use one index after the other", () => {
  const body = JSON.stringify({ content: [call("a"), call("b")], stop_reason: "tool_use" });
  const denied = { turn: readAnswer("anthropic", body).turn, denials: new Map([[0, "no"]]) };
  const events = ["a", "b"].flatMap((name) => [
    parsed({ type: "content_block_start", index: 1, content_block: call(name) }),
    parsed({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "{}" } }),
    parsed({ type: "content_block_stop", index: 1 }),
  ]);
  const types = denyAnthropicEvents(events, denied).map(
    ({ data }) => /"(text|tool_use|input_json_delta)"/.exec(data)?.[1],
  );
  assert.deepEqual(types, ["text", "text", undefined, "tool_use", "input_json_delta", undefined]);
});

test("denyAnthropicAnswer keeps the reason of a turn that was cut off", () => {
  const body = { content: [call("a")], stop_reason: "max_tokens" };
  const denied = { turn: readAnswer("anthropic", JSON.stringify(body)).turn, denials: new Map([[0, "no"]]) };
  assert.equal(denyAnthropicAnswer(body, denied)["stop_reason"], "max_tokens");
});
