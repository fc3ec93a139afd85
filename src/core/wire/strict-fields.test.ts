import assert from "node:assert/strict";
import { test } from "node:test";
import { isCallWord, KnownFields, speaksOfCall } from "./strict-fields.ts";

const fields = new KnownFields("content tool_calls finishReason");

test("KnownFields finds an unknown field that could carry a call, and one that some libraries read as a known one", () => {
  const foreign: readonly object[] = [
    { Content: "a" },
    { toolCalls: null },
    { finish_reason: "x" },
    { client_actions: [{ a: 1 }] },
    { extra: { deep: [{ function: { name: "f" } }] } },
    { extra: { type: "shell_request" } },
    JSON.parse('{"__proto__":{"a":1}}') as object,
  ];
  for (const object of foreign) assert.notEqual(fields.foreignIn({ ...object }), undefined, JSON.stringify(object));
});

test("KnownFields takes what is known, plain values and lists without calls for harmless", () => {
  const harmless: readonly object[] = [
    { content: [{ function: 1 }], tool_calls: [{ a: 1 }] },
    { function_name: "f", new_field: 3, note: "tool" },
    { new_field: { words: ["call"], metrics: [{ time: 1, transaction: "x" }] }, tools: [], functions: {} },
  ];
  for (const object of harmless) assert.equal(fields.foreignIn({ ...object }), undefined, JSON.stringify(object));
});

test("speaksOfCall looks into a value however deep it is", () => {
  let deep: object = { arguments: "{}" };
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  assert.ok(speaksOfCall(deep));
  assert.ok(!speaksOfCall("function") && !speaksOfCall(null) && isCallWord("run_command"));
});
