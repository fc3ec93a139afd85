/**
 * A refused call leaves nothing of its arguments behind, wherever in an answer it stands: in the places that a dialect has for calls
 * and in each other object of the answer, under names by which clients find calls.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { denyInAnswer } from "./deny-calls.ts";
import type { JsonObject } from "./shape.ts";
import { TurnHold } from "./turn-hold.ts";
import type { Dialect } from "./turn.ts";
import { readAnswer } from "./wire-reader.ts";
import { writeAnswer, writeTurn, type TurnToWrite } from "../../../test/support/wire/write-turn.ts";

const dialects: readonly Dialect[] = ["anthropic", "openai-chat", "openai-responses", "gemini"];
const canary = "rm -rf canary";
const text = JSON.stringify({ command: canary });
const input = { command: canary };

/** Calls as one or another dialect has them. */
const calls: Readonly<Record<string, unknown>> = {
  tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "bash", arguments: text } }],
  function_call: { name: "bash", arguments: text },
  toolCalls: [{ id: "c", function: { name: "bash", arguments: text } }],
  functionCall: { name: "bash", args: input },
  message: { role: "assistant", tool_calls: [{ id: "c", function: { name: "bash", arguments: text } }] },
  delta: { tool_calls: [{ index: 0, id: "c", function: { name: "bash", arguments: text } }] },
  item: { type: "function_call", id: "f", call_id: "c", name: "bash", arguments: text },
  content_block: { type: "tool_use", id: "t", name: "bash", input },
  content: [{ type: "tool_use", id: "t", name: "bash", input }],
  output: [{ type: "function_call", id: "f", call_id: "c", name: "bash", arguments: text }],
  candidates: [{ content: { parts: [{ functionCall: { name: "bash", args: input } }] } }],
  choices: [{ index: 0, message: { tool_calls: [{ id: "c", function: { name: "bash", arguments: text } }] } }],
  new_field: { type: "tool_use", name: "bash", input },
};

const turn = (toolCalls: TurnToWrite["toolCalls"]): TurnToWrite => ({
  id: "turn_1",
  model: "m",
  text: "First.",
  toolCalls,
  finish: toolCalls.length > 0 ? "tool_calls" : "stop",
  usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
});
const turns = [turn([]), turn([{ id: "call_a", name: "bash", argumentsText: text }])];

/** No client looks for a call in these, and vendors add to them as they like. */
const inert = new Set(
  (
    "usage usageMetadata input args action metadata tools arguments " +
    "input_tokens_details output_tokens_details prompt_tokens_details completion_tokens_details"
  ).split(" "),
);

/** The value with a call in each of its objects, one at a time. */
function* withCalls(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const changed of withCalls(item)) yield value.map((each: unknown, index) => (index === at ? changed : each));
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const object = value as JsonObject;
  for (const [name, call] of Object.entries(calls)) yield { ...object, [name]: call };
  for (const [name, inner] of Object.entries(object)) {
    if (inert.has(name)) continue;
    for (const changed of withCalls(inner)) yield { ...object, [name]: changed };
  }
}

/** What a client gets of a stream in which each call is refused. */
function forwarded(dialect: Dialect, stream: string): string {
  const hold = new TurnHold(dialect);
  const passed = [...hold.feed(new TextEncoder().encode(stream)).pass, ...hold.end().pass];
  const denials = new Map(hold.turn.toolCalls.map(({ slot }) => [slot, "no"]));
  // As the gateway does: nothing that waits goes out where the turn has failed.
  if (hold.failure === undefined && hold.turn.error === null) passed.push(...hold.release(denials));
  return passed.map((bytes) => new TextDecoder().decode(bytes)).join("");
}

for (const dialect of dialects) {
  test(`a refused call leaves nothing in a stream of ${dialect}, wherever it stands`, () => {
    let tried = 0;
    for (const events of turns.map((each) => writeTurn(dialect, each))) {
      for (const [at, event] of events.entries()) {
        const data = /^data: (\{.*\})$/m.exec(event)?.[1];
        if (data === undefined) continue;
        for (const changed of withCalls(JSON.parse(data))) {
          const stream = events
            .with(
              at,
              event.replace(data, () => JSON.stringify(changed)),
            )
            .join("");
          assert.ok(!forwarded(dialect, stream).includes(canary), JSON.stringify(changed));
          tried += 1;
        }
      }
    }
    assert.ok(tried > 50, `${tried} places`);
  });

  test(`a refused call leaves nothing in an answer of ${dialect}, wherever it stands`, () => {
    for (const body of turns.map((each) => writeAnswer(dialect, each))) {
      for (const changed of withCalls(JSON.parse(body))) {
        const written = JSON.stringify(changed);
        const read = readAnswer(dialect, written, { strict: true }).turn;
        if (read.error !== null) continue;
        const denials = new Map(read.toolCalls.map(({ slot }) => [slot, "no"]));
        const given = denials.size === 0 ? written : denyInAnswer(dialect, written, { turn: read, denials });
        assert.ok(!given.includes(canary), written);
      }
    }
  });
}

const streamOf = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

test("a call in the part that a client may read instead of another one is not passed on", () => {
  const call = calls["tool_calls"];
  const chat = streamOf({ choices: [{ index: 0, message: { tool_calls: call }, finish_reason: "tool_calls" }] });
  assert.ok(!forwarded("openai-chat", chat).includes(canary));
  const start = { type: "message_start", message: { id: "m", role: "assistant", content: [] } };
  const end = [{ type: "message_delta", delta: { stop_reason: "tool_use" } }, { type: "message_stop" }];
  const stop = { type: "content_block_stop", index: 0 };
  const block = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: "", name: "Bash", input },
  };
  assert.ok(!forwarded("anthropic", streamOf(start, block, stop, ...end)).includes(canary));
  const plain = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  const delta = { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: text } };
  assert.ok(!forwarded("anthropic", streamOf(start, plain, delta, stop, ...end)).includes(canary));
  const item = { type: "web_search_call", id: "w", status: "completed", name: "bash", arguments: text };
  const done = { type: "response.output_item.done", output_index: 0, item };
  const completed = { type: "response.completed", response: { id: "r", status: "completed", output: [] } };
  assert.ok(!forwarded("openai-responses", streamOf(done, completed)).includes(canary));
});
