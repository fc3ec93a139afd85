import assert from "node:assert/strict";
import { test } from "node:test";
import { denyGeminiAnswer, denyGeminiEvents } from "./deny-gemini.ts";
import { WireReader } from "./wire-reader.ts";

const chunk = (parts: readonly object[], finishReason?: string): Record<string, unknown> => ({
  candidates: [{ content: { role: "model", parts }, ...(finishReason && { finishReason }) }],
});

function turnOf(chunks: readonly object[]) {
  const reader = new WireReader("gemini");
  for (const data of chunks) reader.feed(new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`));
  reader.end();
  return reader.turn;
}

test("denyGeminiEvents keeps signatures, and drops the further parts of a call whose arguments come in parts", () => {
  const chunks = [
    chunk([{ functionCall: { name: "a", willContinue: true } }]),
    chunk([{ functionCall: { partialArgs: [{ jsonPath: "$.x", numberValue: 1 }] } }]),
    chunk([{ functionCall: { name: "b", args: {} }, thoughtSignature: "sign" }], "STOP"),
  ];
  const denied = { turn: turnOf(chunks), denials: new Map([[0, "no"]]) };
  assert.equal(denied.turn.toolCalls.length, 2);
  const events = chunks.map((payload) => ({ event: { event: "message", data: "", id: "" }, payload }));
  const written = denyGeminiEvents(events, denied).map(({ data }) => JSON.parse(data) as Record<string, unknown>);
  assert.deepEqual(written, [
    chunk([{ text: '[Lectern] The tool call "a" was refused and not executed: no' }]),
    chunk([]),
    chunk([{ functionCall: { name: "b", args: {} }, thoughtSignature: "sign" }], "STOP"),
  ]);
});

test("denyGeminiAnswer reads answers that Code Assist wraps, and leaves out calls of further candidates", () => {
  const body = chunk([{ functionCall: { name: "a", args: {} } }], "STOP");
  const denied = { turn: turnOf([body]), denials: new Map<number, string>() };
  const [first] = body["candidates"] as object[];
  const answer = denyGeminiAnswer({ response: { candidates: [first, first] } }, denied);
  const parts = (answer["response"] as { candidates: { content: { parts: object[] } }[] }).candidates;
  assert.deepEqual(
    parts.map(({ content }) => content.parts.length),
    [1, 0],
  );
});

test("denyGeminiEvents tells parts of two calls that come in turn apart by their ids", () => {
  const part = (id: string, name: string | undefined, value: string, continues: boolean) => ({
    functionCall: {
      id,
      name,
      partialArgs: [{ jsonPath: "$.x", stringValue: value, willContinue: continues }],
      willContinue: continues,
    },
  });
  const parts = [part("a", "f", "1", true), part("b", "g", "2", true), part("a", undefined, "1", false)];
  const chunks = [...parts.map((each) => chunk([each])), chunk([part("b", undefined, "2", false)], "STOP")];
  const denied = { turn: turnOf(chunks), denials: new Map([[0, "no"]]) };
  const events = chunks.map((payload) => ({ event: { event: "message", data: "", id: "" }, payload }));
  const left = turnOf(denyGeminiEvents(events, denied).map(({ data }) => JSON.parse(data) as object));
  assert.deepEqual(
    left.toolCalls.map(({ id, argumentsText, committable }) => `${id} ${argumentsText} ${committable}`),
    ['b {"x":"22"} true'],
  );
});
