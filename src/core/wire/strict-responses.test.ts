import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignInResponse, foreignInResponsesEvent } from "./strict-responses.ts";

test("foreignInResponsesEvent understands calls, messages and what the server runs itself", () => {
  const items = [
    { type: "function_call", id: "f", call_id: "c", name: "f", arguments: "{}", status: "completed" },
    { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "a", annotations: [] }] },
    { type: "web_search_call", id: "w", status: "completed", action: { type: "search", query: "q" } },
    { type: "new_kind_call", call_id: "c", action: { command: "ls" } },
    { type: "reasoning", id: "r", summary: [], encrypted_content: "x" },
    { type: "new_kind", id: "n", words: [] },
  ];
  for (const item of items) {
    assert.equal(
      foreignInResponsesEvent({ type: "response.output_item.done", output_index: 0, item }),
      undefined,
      item.type,
    );
  }
  assert.equal(
    foreignInResponse({ id: "r", status: "completed", output: items, tools: [{ type: "function" }] }),
    undefined,
  );
  assert.equal(foreignInResponsesEvent({ type: "response.new.thing", value: { a: 1 } }), undefined);
});

test("foreignInResponsesEvent names what it does not understand", () => {
  const run = { type: "run", command: ["ls"] };
  assert.match(foreignInResponsesEvent({ type: "response.output_item.done", item: run }) ?? "", /"run"/);
  assert.match(
    foreignInResponsesEvent({ type: "response.output_item.done", item: { type: "run_call" } }) ?? "",
    /run_call/,
  );
  assert.match(foreignInResponsesEvent({ type: "response.queued", response: { output: [run] } }) ?? "", /output/);
  assert.match(foreignInResponsesEvent({ item: run }) ?? "", /item/);
  assert.match(foreignInResponse({ output: { 0: run } }) ?? "", /output/);
  for (const type of ["message", "reasoning"]) {
    const item = { type, id: "m", content: [], tool_calls: [{ id: "c", function: { name: "sh" } }] };
    assert.match(foreignInResponse({ output: [item] }) ?? "", /"tool_calls"/);
    assert.match(foreignInResponse({ output: [{ type, content: { ...run } }] }) ?? "", /content/);
  }
});

test("foreignInResponsesEvent refuses a call in an event that has none, and one without its parts", () => {
  const call = { type: "function_call", id: "f", call_id: "c", name: "f", arguments: "{}" };
  const done = (item: unknown): Record<string, unknown> => ({ type: "response.output_item.done", item });
  const odd: readonly (readonly [event: Record<string, unknown>, foreign: RegExp])[] = [
    [{ type: "response.output_text.delta", item: call }, /an item in the event/],
    [{ type: "response.output_text.delta", response: { output: [call] } }, /a response in the event/],
    [{ type: "response.output_text.delta", delta: { tool_calls: [call] } }, /"delta"/],
    [{ type: "response.content_part.done", part: { tool_calls: [call] } }, /a part of the content/],
    [{ type: "response.new_tool_call" }, /an event of the type/],
    [done("sh"), /"item"/],
    [done({ ...call, name: "" }), /"name" of a tool call/],
    [done({ type: "local_shell_call", call_id: "c" }), /"action"/],
    [done({ type: "local_shell_call", call_id: "c", action: {}, actions: [] }), /"actions"/],
    [done({ type: "local_shell_call", call_id: "c", action: {}, arguments: "{}" }), /"arguments"/],
    [done({ type: "web_search_call", arguments: "{}" }), /"arguments"/],
  ];
  for (const [event, foreign] of odd)
    assert.match(foreignInResponsesEvent(event) ?? "", foreign, JSON.stringify(event));
  assert.match(foreignInResponse({ output: ["sh"] }) ?? "", /an item/);
  const plain = [
    done({ type: "computer_call", call_id: "c", actions: [{ type: "click" }] }),
    done({ type: "local_shell_call", call_id: "c", action: { command: ["ls"] } }),
    { type: "response.output_item.added", item: { type: "local_shell_call", call_id: "c" } },
    { type: "response.created", response: { output: [] } },
    { type: "response.completed", response: { output: [call] } },
  ];
  for (const event of plain) assert.equal(foreignInResponsesEvent(event), undefined, JSON.stringify(event));
});
