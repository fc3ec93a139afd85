import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAnswer } from "./client.ts";

const LONG = 2_000_000;

test("a long answer that only opens brackets is refused before it is parsed", () => {
  assert.throws(() => parseAnswer("[".repeat(LONG)), { name: "SyntaxError", message: /levels/ });
  assert.throws(() => parseAnswer('{"a":'.repeat(LONG / 5)), { name: "SyntaxError", message: /levels/ });
});

test("brackets in the strings of a long answer do not count, also behind escaped quotes", () => {
  const answer = { text: '["\\{'.repeat(LONG / 4), list: Array.from({ length: 1000 }, () => [{ a: [] }]) };
  assert.deepEqual(parseAnswer(JSON.stringify(answer)), answer);
});
