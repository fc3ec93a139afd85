import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../errors.ts";
import { geminiAnswer, geminiStream } from "./write-gemini.ts";

const call = { id: "a", name: "f", argumentsText: '{"x":1}' };

test("geminiAnswer leaves made-up ids out", () => {
  const turn = { id: "x", model: "m", text: "", toolCalls: [{ ...call, idSynthetic: true }], finish: "stop" as const };
  assert.match(JSON.stringify(geminiAnswer(turn)), /"functionCall":\{"name":"f","args":\{"x":1\}\}/);
});

test("geminiStream refuses arguments that are no whole JSON", () => {
  const cut = { ...call, argumentsText: '{"x":' };
  const turn = { id: "x", model: "m", text: "", toolCalls: [cut], finish: "stop" as const };
  assert.throws(
    () => geminiStream(turn),
    (error: unknown) => error instanceof LecternError && error.code === "MALFORMED",
  );
});
