import assert from "node:assert/strict";
import { test } from "node:test";
import { readResponse, ResponsesReader } from "./read-responses.ts";
import { TurnBuilder } from "./turn-builder.ts";

test("ResponsesReader keeps two calls at one output index apart by their ids", () => {
  const [turn, reader] = [new TurnBuilder(), new ResponsesReader()];
  for (const call_id of ["a", "b"]) {
    const item = { type: "function_call", call_id, name: "f", arguments: `{"${call_id}":1}` };
    reader.read({ type: "response.output_item.done", output_index: 0, item }, turn);
  }
  assert.deepEqual(
    turn.turn().toolCalls.map((call) => [call.id, call.argumentsText]),
    [
      ["a", '{"a":1}'],
      ["b", '{"b":1}'],
    ],
  );
});

test("ResponsesReader finds calls by item id where there is no output index", () => {
  const [turn, reader] = [new TurnBuilder(), new ResponsesReader()];
  const item = { type: "function_call", id: "fc_1", call_id: "a", name: "f", arguments: "" };
  reader.read({ type: "response.output_item.added", item }, turn);
  reader.read({ type: "response.function_call_arguments.delta", item_id: "fc_1", delta: "{}" }, turn);
  const [call] = turn.turn().toolCalls;
  assert.deepEqual([call?.id, call?.argumentsText], ["a", "{}"]);
});

test("ResponsesReader takes events of any shape", () => {
  const [turn, reader] = [new TurnBuilder(), new ResponsesReader()];
  const types = [
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.created",
  ];
  for (const type of [...types, 1, null]) reader.read({ type }, turn);
  assert.deepEqual(turn.take(), []);
});

/** What an answer that is not streamed is taken for: its end, and the error if there is one. */
const ends: readonly (readonly [
  response: object,
  finish: string,
  error?: readonly [type: string, message?: string],
])[] = [
  [{ status: "completed" }, "stop"],
  [{}, "stop"],
  [{ status: "incomplete" }, "length"],
  [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
  [{ status: "incomplete", incomplete_details: { reason: "content_filter" } }, "content_filter"],
  [{ status: "cancelled" }, "error", ["cancelled"]],
  [{ status: "failed" }, "error", ["failed"]],
  [{ status: "queued" }, "error", ["queued"]],
  [{ error: {} }, "error", ["error"]],
  [{ error: { type: "t", message: "m" } }, "error", ["t", "m"]],
  [{ status: "failed", error: { code: "c", type: "t", message: "m" } }, "error", ["c", "m"]],
];

for (const [response, finish, error] of ends)
  test(`readResponse: ${JSON.stringify(response)} is ${finish}`, () => {
    const turn = new TurnBuilder();
    readResponse({ output: [], ...response }, turn);
    const found = turn.turn();
    assert.equal(found.finish, finish);
    assert.deepEqual(found.error, error === undefined ? null : { type: error[0], message: error[1] ?? null });
  });

test("readResponse takes a refusal for a text, and an id of the item for one of the call", () => {
  const turn = new TurnBuilder();
  const content = [{ type: "output_text", text: "a" }, { type: "refusal", refusal: "b" }, { type: "other" }, "c"];
  const call = { type: "function_call", id: "fc", name: "f", arguments: "{}" };
  const computer = { type: "computer_call", call_id: "x", actions: [{ type: "click" }] };
  readResponse({ output: [{ type: "message", content }, call, computer], status: "completed" }, turn);
  const { text, toolCalls } = turn.turn();
  assert.equal(text, "ab");
  assert.deepEqual(
    toolCalls.map(({ id, kind, argumentsText }) => [id, kind, argumentsText]),
    [
      ["fc", "function", "{}"],
      ["x", "native", '{"actions":[{"type":"click"}]}'],
    ],
  );
});

test("a strict reader refuses a call that is there twice, or of two kinds", () => {
  const call = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
  for (const other of [call, { ...call, type: "custom_tool_call", input: "{}" }]) {
    const turn = new TurnBuilder({ strict: true });
    readResponse({ output: [call, other], status: "completed" }, turn);
    assert.equal(turn.turn().error?.type, "MALFORMED", other.type);
  }
});

test("arguments that come before their item are of the kind that the event names", () => {
  const [turn, reader] = [new TurnBuilder(), new ResponsesReader()];
  reader.read({ type: "response.custom_tool_call_input.delta", output_index: 0, delta: "x" }, turn);
  reader.read({ type: "response.function_call_arguments.delta", output_index: 1, delta: "{}" }, turn);
  assert.deepEqual(
    turn.turn().toolCalls.map(({ argumentsText, kind }) => [kind, argumentsText]),
    [
      ["custom", "x"],
      ["function", "{}"],
    ],
  );
});

test("ResponsesReader takes an item of an unknown tool for a call where the client must answer it", () => {
  const [turn, reader] = [new TurnBuilder(), new ResponsesReader()];
  const items = [
    { type: "tool_search_call", call_id: "a", query: "x" },
    { type: "web_search_call", id: "ws" },
  ];
  for (const [output_index, item] of items.entries()) {
    reader.read({ type: "response.output_item.done", output_index, item }, turn);
  }
  assert.deepEqual(
    turn.turn().toolCalls.map(({ id, kind, name }) => [id, kind, name]),
    [["a", "native", "tool_search"]],
  );
});

test("ResponsesReader reports the provider's reason of a failed response", () => {
  const error = { code: "server_error", message: "no" };
  for (const response of [
    { status: "failed", error },
    { status: "failed", error: null },
    {},
    { status: "completed" },
  ]) {
    const [turn, reader] = [new TurnBuilder(), new ResponsesReader()];
    reader.read({ type: "response.failed", response }, turn);
    assert.deepEqual([turn.turn().finish, turn.turn().finishRaw], ["error", "failed"]);
    assert.deepEqual(turn.take().at(-1), { type: "finish", finish: "error", raw: "failed" });
  }
  const turn = new TurnBuilder();
  new ResponsesReader().read({ type: "response.cancelled", response: {} }, turn);
  assert.deepEqual([turn.turn().finish, turn.turn().finishRaw], ["error", "cancelled"]);
});

test("a namespace is a part of a call's name, whichever event has it", () => {
  const item = { type: "function_call", id: "fc_1", call_id: "a", name: "delete", namespace: "mcp__github" };
  const done = { type: "response.function_call_arguments.done", item_id: "fc_1", name: "delete", arguments: "{}" };
  const [turn, reader] = [new TurnBuilder({ strict: true }), new ResponsesReader()];
  reader.read({ type: "response.output_item.added", output_index: 0, item }, turn);
  reader.read({ ...done, output_index: 0 }, turn);
  reader.read({ type: "response.output_item.done", output_index: 0, item: { ...item, arguments: "{}" } }, turn);
  const { error, toolCalls } = turn.turn();
  assert.deepEqual([toolCalls.map(({ name }) => name), error], [["mcp__github__delete"], null]);

  // One event without it is another tool.
  const [other, second] = [new TurnBuilder({ strict: true }), new ResponsesReader()];
  second.read({ type: "response.output_item.added", output_index: 0, item }, other);
  const { namespace: _, ...bare } = item;
  second.read({ type: "response.output_item.done", output_index: 0, item: { ...bare, arguments: "{}" } }, other);
  assert.equal(other.turn().error?.type, "MALFORMED");
});
