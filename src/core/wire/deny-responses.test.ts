import assert from "node:assert/strict";
import { test } from "node:test";
import { denyResponsesAnswer, denyResponsesEvents } from "./deny-responses.ts";
import type { JsonObject } from "./shape.ts";
import type { Turn } from "./turn.ts";
import { readAnswer, WireReader } from "./wire-reader.ts";

const call = (id: string): JsonObject => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: id,
  arguments: "{}",
});
const reasoning = { type: "reasoning", id: "rs_1", encrypted_content: "xyz", summary: [] };
const body = { status: "completed", output: [reasoning, call("a"), call("b")] };
const denied = { turn: readAnswer("openai-responses", JSON.stringify(body)).turn, denials: new Map([[0, "no"]]) };

test("denyResponsesEvents numbers its events on, and keeps items that it does not know", () => {
  const item = { ...call("a") };
  const payloads = [
    { type: "response.output_item.added", sequence_number: 7, output_index: 1, item },
    { type: "response.function_call_arguments.delta", sequence_number: 8, output_index: 1, delta: "{}" },
    { type: "response.output_item.done", sequence_number: 9, output_index: 1, item },
    { type: "response.output_item.done", sequence_number: 10, output_index: 2, item: call("b") },
    { type: "response.output_item.done", sequence_number: 11, output_index: 3, item: reasoning },
    { type: "response.completed", sequence_number: 12, response: body },
  ];
  const events = payloads.map((payload) => ({ event: { event: payload.type, data: "", id: "" }, payload }));
  const written = denyResponsesEvents(events, denied).map(({ data }) => JSON.parse(data) as JsonObject);
  assert.deepEqual(
    written.map((payload) => payload["sequence_number"]),
    written.map((_, index) => 7 + index),
  );
  const parts = written.filter((payload) => payload["content_index"] !== undefined);
  assert.deepEqual(
    parts.map((payload) => [payload["output_index"], payload["content_index"]]),
    Array.from({ length: 4 }, () => [1, 0]),
  );
  const items = written
    .filter(({ type }) => type === "response.output_item.done")
    .map((each) => each["item"] as JsonObject);
  assert.deepEqual(
    items.map(({ type }) => type),
    ["message", "function_call", "reasoning"],
  );
});

test("denyResponsesAnswer leaves out a call that has no id, and tools of the provider's servers alone", () => {
  const search = { type: "web_search_call", id: "ws_1", status: "completed" };
  const { output } = denyResponsesAnswer(
    { output: [{ type: "function_call", name: "x", arguments: "{}" }, search] },
    denied,
  );
  assert.deepEqual(
    (output as JsonObject[]).map(({ type }) => type),
    ["message", "web_search_call"],
  );
});

test("denyResponsesEvents gives an allowed call whole, also where it shares its ids and indexes with a refused one", () => {
  const item = (id: string): JsonObject => ({ ...call(id), id: "fc", arguments: "" });
  const delta = (text: string, index: number) => ({
    type: "response.function_call_arguments.delta",
    item_id: "fc",
    output_index: index,
    delta: text,
  });
  const payloads = [
    { type: "response.output_item.added", output_index: 1, item: item("a") },
    { type: "response.output_item.added", output_index: 2, item: item("b") },
    delta('{"x":1}', 1),
    delta('{"y":2}', 2),
    { type: "response.completed", response: { status: "completed", output: [] } },
  ];
  const events = payloads.map((payload) => ({ event: { event: payload.type, data: "", id: "" }, payload }));
  const read = (data: readonly string[]): Turn => {
    const reader = new WireReader("openai-responses");
    for (const each of data) reader.feed(new TextEncoder().encode(`data: ${each}\n\n`));
    reader.end();
    return reader.turn;
  };
  const turn = read(payloads.map((payload) => JSON.stringify(payload)));
  assert.equal(turn.toolCalls[1]?.argumentsText, '{"y":2}');
  const written = denyResponsesEvents(events, { turn, denials: new Map([[0, "no"]]) });
  const left = read(written.map(({ data }) => data));
  assert.deepEqual(
    left.toolCalls.map(({ id, argumentsText, committable }) => `${id} ${argumentsText} ${committable}`),
    ['b {"y":2} true'],
  );
});
