import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInFiles } from "./built-in-agents.ts";
import { unfittedExamples } from "./rule-examples.ts";

test("built-in rules fit their own examples", () => {
  assert.deepEqual(
    builtInFiles.flatMap((file) => unfittedExamples(file)),
    [],
  );
});

test("an example that a rule does not fit is named with its place", () => {
  const rows = { a: { text: "^x", not: "y$", test: ["x", "xy"] } };
  assert.deepEqual(unfittedExamples({ name: "a", chat: { rows } }), [
    { path: ["chat", "rows", "a", "test"], example: "xy" },
  ]);
});
