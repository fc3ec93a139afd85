import assert from "node:assert/strict";
import { test } from "node:test";
import { readChatChunk } from "./read-chat.ts";
import { TurnBuilder } from "./turn-builder.ts";

test("readChatChunk reads the first choice only", () => {
  const turn = new TurnBuilder();
  readChatChunk({ id: "x", model: "m", choices: [{ index: 1, delta: { content: "no" } }] }, turn);
  readChatChunk({ choices: [{ index: 0, delta: { content: "yes" } }] }, turn);
  readChatChunk({ choices: [{ delta: { content: "!" } }] }, turn);
  assert.deepEqual([turn.turn().text, turn.turn().id, turn.turn().model], ["yes!", "x", "m"]);
});

test("readChatChunk reads content in parts and custom tools", () => {
  const turn = new TurnBuilder();
  readChatChunk({ choices: [{ message: { content: [{ type: "text", text: "a" }, { type: "other" }] } }] }, turn);
  const custom = { id: "c", type: "custom", custom: { name: "patch", input: "***" } };
  readChatChunk({ choices: [{ message: { tool_calls: [custom] } }] }, turn);
  const [call] = turn.turn().toolCalls;
  assert.equal(turn.turn().text, "a");
  assert.deepEqual([call?.kind, call?.name, call?.argumentsText], ["custom", "patch", "***"]);
});

test("readChatChunk takes an error that is only a text", () => {
  const turn = new TurnBuilder();
  readChatChunk({ error: "model not loaded" }, turn);
  assert.deepEqual(turn.turn().error, { type: "error", message: "model not loaded" });
});

test("readChatChunk takes chunks of any shape", () => {
  for (const chunk of [
    {},
    { choices: 1 },
    { choices: [null] },
    { choices: [{ delta: { tool_calls: [1, null, {}] } }] },
  ]) {
    const turn = new TurnBuilder();
    readChatChunk(chunk, turn);
    assert.equal(turn.turn().text, "");
  }
});
