import assert from "node:assert/strict";
import { test } from "node:test";
import { GeminiReader } from "./read-gemini.ts";
import { TurnBuilder } from "./turn-builder.ts";

const chunk = (...parts: unknown[]): Record<string, unknown> => ({ candidates: [{ content: { parts } }] });

test("GeminiReader takes a named call for a new one while another one streams", () => {
  const [turn, reader] = [new TurnBuilder(), new GeminiReader()];
  reader.read(chunk({ functionCall: { name: "f", willContinue: true } }), turn);
  reader.read(chunk({ functionCall: { name: "g", args: { x: 1 } } }), turn);
  const partialArgs = [{ jsonPath: "$.a", boolValue: false }];
  reader.read(chunk({ functionCall: { partialArgs } }), turn);
  assert.deepEqual(
    turn.turn().toolCalls.map((call) => `${call.name} ${call.argumentsText}`),
    ['f {"a":false}', 'g {"x":1}'],
  );
});

test("GeminiReader ends a streamed call without arguments as an empty one", () => {
  const [turn, reader] = [new TurnBuilder(), new GeminiReader()];
  reader.read(chunk({ functionCall: { name: "f", willContinue: true } }, { functionCall: {} }), turn);
  const [call] = turn.turn().toolCalls;
  assert.deepEqual([call?.name, call?.provenance], ["f", "empty"]);
  assert.equal(turn.turn().toolCalls.length, 1);
});

test("GeminiReader takes chunks of any shape", () => {
  for (const each of [
    {},
    { candidates: 1 },
    { candidates: [null] },
    chunk(null, 1, {}, { functionCall: 1 }),
    { response: {} },
  ]) {
    const turn = new TurnBuilder();
    new GeminiReader().read(each, turn);
    assert.deepEqual(turn.take(), []);
  }
});
