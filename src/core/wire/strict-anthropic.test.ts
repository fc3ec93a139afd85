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

test("foreignInMessage takes a text for a content, and refuses what some clients would take for a call", () => {
  const message = (rest: object): Record<string, unknown> => ({ type: "message", ...rest });
  const plain = [{}, { content: "a" }, { content: [null] }, { content: [{ type: "text", text: "a" }] }];
  for (const rest of plain) assert.equal(foreignInMessage(message(rest)), undefined, JSON.stringify(rest));
  assert.equal(foreignInMessage({ type: "error", error: { type: "overloaded_error" } }), undefined);
  const odd: readonly (readonly [rest: object, foreign: RegExp])[] = [
    [{ content: { 0: use } }, /content/],
    [{ content: ["sh"] }, /^a content block$/],
    [{ content: [{ type: "text", text: "a", name: "sh", input: {} }] }, /"name"|"input"/],
    [{ content: [{ type: "run_command", name: "sh" }] }, /"run_command"|"name"/],
    [{ tool_calls: [use] }, /"tool_calls"/],
  ];
  for (const [rest, foreign] of odd) assert.match(foreignInMessage(message(rest)) ?? "", foreign, JSON.stringify(rest));
});

test("foreignInAnthropicEvent refuses a call in an event that has none", () => {
  const odd = [
    { type: "message_start", message: { content: [use] } },
    { type: "message_start", message: { content: { 0: use } } },
    { type: "content_block_stop", index: 0, content_block: use },
    { type: "content_block_stop", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } },
    { ...delta({ type: "text_delta", text: "a" }), content_block: use },
    delta({ type: "new_delta", tool_use: use }),
    delta({ type: "text_delta", text: "a", content: [use] }),
    { ...begin({ type: "text", text: "" }), delta: { type: "input_json_delta", partial_json: "{}" } },
    { type: "new_event", tool_use: use },
  ];
  for (const event of odd) assert.notEqual(foreignInAnthropicEvent(event), undefined, JSON.stringify(event));
  for (const event of [{ type: "ping" }, { type: "new_event", error: use }, { type: "error", error: { type: "x" } }])
    assert.equal(foreignInAnthropicEvent(event), undefined, JSON.stringify(event));
});
