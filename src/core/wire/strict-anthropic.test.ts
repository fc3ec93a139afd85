import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignInAnthropicEvent, foreignInMessage } from "./strict-anthropic.ts";

const use = { type: "tool_use", id: "t", name: "f", input: { a: 1 } };
const begin = (content_block: unknown): Record<string, unknown> => ({
  type: "content_block_start",
  index: 0,
  content_block,
});
const delta = (value: unknown, index: unknown = 0): Record<string, unknown> => ({
  type: "content_block_delta",
  index,
  delta: value,
});

test("foreignInAnthropicEvent understands calls, and what Anthropic's servers run themselves", () => {
  const blocks = [
    use,
    { ...use, caller: { type: "code_execution_20250825", tool_id: "s" }, toolset_name: "computer" },
    { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } },
    { type: "mcp_tool_use", id: "m", name: "echo", server_name: "x", input: {} },
    { type: "web_search_tool_result", tool_use_id: "s", content: [{ type: "web_search_result", url: "u" }] },
  ];
  for (const block of blocks) {
    assert.equal(foreignInAnthropicEvent(begin(block)), undefined, JSON.stringify(block));
    assert.equal(foreignInMessage({ type: "message", content: [block] }), undefined, JSON.stringify(block));
  }
});

test("foreignInAnthropicEvent refuses a field of another type than its clients take it for", () => {
  const events = [
    begin([use]),
    begin({ ...use, name: { a: 1 } }),
    begin({ ...use, input: "1" }),
    begin({ ...use, input: [1] }),
    begin({ ...use, input: null }),
    begin({ ...use, id: 1 }),
    delta({ type: "input_json_delta", partial_json: { a: 1 } }),
    delta({ type: "input_json_delta", partial_json: "{}" }, "0"),
    delta({ type: "input_json_delta", partial_json: "{}" }, -1),
    delta([{ type: "input_json_delta", partial_json: "{}" }]),
    { type: "message_delta", delta: { stop_reason: ["tool_use"] } },
    { type: "message_delta", delta: "tool_use" },
    { type: "message_start", message: [] },
  ];
  for (const event of events) assert.notEqual(foreignInAnthropicEvent(event), undefined, JSON.stringify(event));
  assert.notEqual(foreignInMessage({ type: "message", content: [{ ...use, input: "1" }] }), undefined);
  assert.notEqual(foreignInMessage({ type: "message", content: [use], error: { type: "x" } }), undefined);
});
