import assert from "node:assert/strict";
import { test } from "node:test";
import { callsLeft, denialTexts, withData } from "./denied-turn.ts";
import { readAnswer } from "./wire-reader.ts";

const content = ["ls", "rm"].map((name) => ({ type: "tool_use", id: name, name, input: {} }));
const { turn } = readAnswer("anthropic", JSON.stringify({ content, stop_reason: "tool_use" }));

test("denialTexts names each refused call and its reason", () => {
  const denied = { turn, denials: new Map([[1, "The rule no-rm denies it"]]) };
  assert.deepEqual(denialTexts(denied), [
    '[Lectern] The tool call "rm" was refused and not executed: The rule no-rm denies it',
  ]);
  assert.equal(callsLeft(denied), 1);
});

test("withData keeps the name of an event where it has one", () => {
  assert.deepEqual(withData({ event: "ping", data: "", id: "" }, { a: 1 }), { event: "ping", data: '{"a":1}' });
  assert.deepEqual(withData({ event: "message", data: "", id: "" }, "[DONE]"), { data: "[DONE]" });
});
