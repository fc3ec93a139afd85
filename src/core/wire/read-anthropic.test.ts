import assert from "node:assert/strict";
import { test } from "node:test";
import { AnthropicReader, readAnthropicMessage } from "./read-anthropic.ts";
import type { JsonObject } from "./shape.ts";
import { TurnBuilder } from "./turn-builder.ts";
import type { Turn } from "./turn.ts";

const start = (block: object, index?: number): JsonObject => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const input = (text: string, index?: number): JsonObject => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json: text },
});
const stop = (index?: number): JsonObject => ({ type: "content_block_stop", index });
const tool = (id: string): object => ({ type: "tool_use", id, name: "f", input: {} });

function read(...events: readonly JsonObject[]): Turn {
  const [turn, reader] = [new TurnBuilder(), new AnthropicReader()];
  for (const event of events) reader.read(event, turn);
  return turn.turn();
}

const shown = ({ toolCalls }: Turn): string[] => toolCalls.map((call) => `${call.id} ${call.argumentsText}`);

test("AnthropicReader takes input that comes with the block's start", () => {
  assert.deepEqual(shown(read(start({ ...tool("a"), input: { x: 1 } }, 0))), ['a {"x":1}']);
});

test("AnthropicReader takes a block at a used index for another call", () => {
  const events = ["a", "b"].flatMap((id) => [start(tool(id), 0), input(`{"${id}":1}`, 0)]);
  assert.deepEqual(shown(read(...events)), ['a {"a":1}', 'b {"b":1}']);
});

test("AnthropicReader takes events without an index for ones about the block that began last", () => {
  const found = read(start(tool("a")), input('{"a":'), input("1}"), stop(), start(tool("b"), 1), input("{}"), stop());
  assert.deepEqual(shown(found), ['a {"a":1}', "b {}"]);
});

test("AnthropicReader skips the arguments of blocks that are no calls, also where a call had their index", () => {
  const server = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const events = [start(tool("a"), 3), start(server, 3), input("{}", 3), input("{}"), stop(3)];
  assert.deepEqual(shown(read(...events)), ["a "]);
});

test("AnthropicReader refuses arguments of a block that has not begun: the call would run without them", () => {
  const turn = read(start(tool("a"), 0), input('{"x":1}', 1));
  assert.deepEqual([turn.error?.type, turn.toolCalls[0]?.committable], ["MALFORMED", false]);
});

test("readAnthropicMessage takes messages of any shape", () => {
  for (const message of [{}, { content: 1 }, { content: [null, {}, { type: "tool_use" }] }]) {
    const turn = new TurnBuilder();
    readAnthropicMessage(message, turn);
    assert.equal(turn.turn().finish, "truncated");
  }
});
