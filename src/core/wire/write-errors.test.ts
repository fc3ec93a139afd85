import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Dialect, Turn } from "./turn.ts";
import { readAnswer, WireReader } from "./wire-reader.ts";
import { type TurnToWrite, writeAnswer, writeTurn } from "../../../test/support/wire/write-turn.ts";
import { writeErrorAnswer, writeStreamError } from "./write-errors.ts";

const dialects: readonly Dialect[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

function readStream(dialect: Dialect, text: string): Turn {
  const reader = new WireReader(dialect);
  reader.feed(new TextEncoder().encode(text));
  reader.end();
  return reader.turn;
}

/** What of a turn every dialect can carry; Gemini's arguments are values, so texts are compared as values. */
function essence(turn: TurnToWrite): object {
  return {
    text: turn.text,
    thinking: turn.thinking,
    calls: turn.toolCalls.map((call) => [call.id, call.name, JSON.parse(call.argumentsText || "{}") as unknown]),
    finish: turn.finish === "stop" && turn.toolCalls.length > 0 ? "tool_calls" : turn.finish,
    usage: turn.usage && {
      in: turn.usage.inputTokens,
      out: turn.usage.outputTokens,
      cached: turn.usage.cachedInputTokens,
    },
  };
}

const asWritable = (turn: Turn): TurnToWrite => ({ ...turn, id: turn.id ?? "", model: turn.model ?? "" });

const text = fc.string({ unit: "grapheme" });
const turns = fc.record({
  id: fc.constant("id-1"),
  model: fc.constant("m"),
  text,
  thinking: text,
  toolCalls: fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^call_[a-z0-9]{6}$/),
      name: fc.stringMatching(/^[a-z_]{1,12}$/),
      argumentsText: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), text).map((args) => JSON.stringify(args)),
    }),
    { maxLength: 4, selector: (call) => call.id },
  ),
  finish: fc.constantFrom("stop" as const, "length" as const, "content_filter" as const),
  usage: fc.constant({
    inputTokens: 20,
    outputTokens: 9,
    cachedInputTokens: 4,
    cacheWriteTokens: 0,
    reasoningTokens: 2,
  }),
});

for (const dialect of dialects) {
  test(`writeTurn in ${dialect} is read back as the same turn`, () => {
    fc.assert(
      fc.property(turns, (turn) => {
        assert.deepEqual(essence(asWritable(readStream(dialect, writeTurn(dialect, turn).join("")))), essence(turn));
      }),
    );
  });

  test(`writeAnswer in ${dialect} is read back as the same turn`, () => {
    fc.assert(
      fc.property(turns, (turn) => {
        assert.deepEqual(essence(asWritable(readAnswer(dialect, writeAnswer(dialect, turn)).turn)), essence(turn));
      }),
    );
  });

  test(`errors written in ${dialect} are read back, in a stream that has begun and in an answer`, () => {
    const error = { type: "overloaded_error", message: "Too much" };
    const begun: TurnToWrite = { id: "x", model: "m", text: "a", toolCalls: [], finish: "error" };
    const written = writeStreamError(dialect, error, 503);
    const names = { anthropic: "error", "openai-responses": "response.failed", "openai-chat": null, gemini: null };
    assert.equal(/^event: (.*)$/m.exec(written)?.[1] ?? null, names[dialect]);
    const stream = [...writeTurn(dialect, begun), written].join("");
    const turn = readStream(dialect, stream);
    assert.deepEqual([turn.text, turn.finish, turn.error], ["a", "error", error]);
    assert.deepEqual(readAnswer(dialect, writeErrorAnswer(dialect, error)).turn.error, error);
  });

  test(`a truncated turn written in ${dialect} has no end`, () => {
    const call = { id: "a", name: "f", argumentsText: "{}" };
    const turn: TurnToWrite = { id: "x", model: "m", text: "a", toolCalls: [call], finish: "truncated" };
    assert.equal(readStream(dialect, writeTurn(dialect, turn).join("")).finish, "truncated");
  });

  test(`writeTurn in ${dialect} continues a stream that others began`, () => {
    const first: TurnToWrite = { id: "x", model: "m", text: "a", toolCalls: [], finish: "truncated" };
    const call = { id: "b", name: "f", argumentsText: '{"x":1}' };
    const rest: TurnToWrite = { id: "x", model: "m", text: "", toolCalls: [call], finish: "tool_calls" };
    const place = { opened: true, nextIndex: 1, nextSequence: 9 };
    const turn = readStream(dialect, [...writeTurn(dialect, first), ...writeTurn(dialect, rest, place)].join(""));
    assert.deepEqual([turn.text, turn.finish, turn.toolCalls[0]?.committable], ["a", "tool_calls", true]);
  });
}

test("calls with free text and calls of the API's own tools are read back in the dialect that has them", () => {
  const toolCalls = [
    { id: "a", name: "apply_patch", kind: "custom" as const, argumentsText: "*** Begin Patch\n" },
    { id: "b", name: "local_shell", kind: "native" as const, argumentsText: '{"type":"exec","command":["ls"]}' },
  ];
  const turn: TurnToWrite = { id: "x", model: "m", text: "", toolCalls, finish: "tool_calls" };
  for (const read of [
    readStream("openai-responses", writeTurn("openai-responses", turn).join("")),
    readAnswer("openai-responses", writeAnswer("openai-responses", turn)).turn,
  ]) {
    const calls = read.toolCalls.map(({ id, name, kind, argumentsText }) => ({ id, name, kind, argumentsText }));
    assert.deepEqual(calls, toolCalls);
  }
  const custom: TurnToWrite = { ...turn, toolCalls: toolCalls.slice(0, 1) };
  assert.equal(readStream("openai-chat", writeTurn("openai-chat", custom).join("")).toolCalls[0]?.kind, "custom");
});
