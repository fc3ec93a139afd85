import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInFiles } from "./built-in-agents.ts";
import { missingKeys } from "./missing-keys.ts";

test("the built-in files lack no key", () => {
  assert.deepEqual(builtInFiles.flatMap(missingKeys), []);
});

test("a step does one thing", () => {
  const above = [{ over: "blank", up: 1 }] as const;
  const [missing] = missingKeys({ name: "a", chat: { window: { above } } });
  assert.match(missing?.message ?? "", /this one has 2/);
  assert.deepEqual(missing?.path, ["chat", "window", "above", "0"]);
});
