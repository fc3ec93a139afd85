import assert from "node:assert/strict";
import { test } from "node:test";
import { denyInAnswer, denyInStream, parsedEvents } from "./deny-calls.ts";
import type { Dialect } from "./turn.ts";
import { readAnswer } from "./wire-reader.ts";
import { writeAnswer, type TurnToWrite } from "../../../test/support/wire/write-turn.ts";

const turn: TurnToWrite = {
  id: "turn_1",
  model: "m",
  text: "First.",
  toolCalls: [
    { id: "call_a", name: "ls", argumentsText: '{"path":"/a"}' },
    { id: "call_b", name: "rm", argumentsText: '{"path":"/b"}' },
  ],
  finish: "tool_calls",
};

for (const dialect of ["anthropic", "openai-chat", "openai-responses", "gemini"] satisfies Dialect[]) {
  test(`denyInAnswer takes a refused call out of an answer in the dialect ${dialect}`, () => {
    const body = writeAnswer(dialect, turn);
    const read = readAnswer(dialect, body).turn;
    const one = readAnswer(dialect, denyInAnswer(dialect, body, { turn: read, denials: new Map([[0, "no"]]) })).turn;
    assert.deepEqual(
      one.toolCalls.map(({ name, argumentsText }) => [name, argumentsText]),
      [["rm", '{"path":"/b"}']],
    );
    assert.equal(one.finish, "tool_calls");
    assert.match(one.text, /^First\.[^]*"ls" was refused and not executed: no$/);
    const denials = new Map([
      [0, "no"],
      [1, "never"],
    ]);
    const none = readAnswer(dialect, denyInAnswer(dialect, body, { turn: read, denials })).turn;
    assert.deepEqual([none.toolCalls.length, none.finish], [0, "stop"]);
  });
}

test("denyInAnswer takes the list of chunks that Gemini sends without event streams", () => {
  const chunk = JSON.parse(writeAnswer("gemini", turn)) as object;
  const body = JSON.stringify([chunk]);
  const read = readAnswer("gemini", body).turn;
  const denied = denyInAnswer("gemini", body, { turn: read, denials: new Map([[1, "no"]]) });
  assert.equal(readAnswer("gemini", denied).turn.toolCalls[0]?.name, "ls");
  assert.ok(denied.startsWith("["));
});

test("denyInStream leaves events alone that are no JSON", () => {
  const { turn: read } = readAnswer("openai-chat", writeAnswer("openai-chat", turn));
  const done = { event: "message", data: "[DONE]", id: "" };
  assert.equal(
    denyInStream("openai-chat", parsedEvents([done]), { turn: read, denials: new Map() }),
    "data: [DONE]\n\n",
  );
});
