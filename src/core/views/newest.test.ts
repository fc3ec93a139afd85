import assert from "node:assert/strict";
import { test } from "node:test";
import { Newest } from "./newest.ts";

test("an item replaces the one with its key, and the oldest go beyond 1,000 items or 1 Mi characters", () => {
  const numbers = new Newest<number>();
  for (let index = 0; index < 1002; index += 1) numbers.put(`n${index}`, index);
  numbers.put("n2", 7);
  assert.deepEqual([numbers.values.length, numbers.values[0], numbers.omitted], [1000, 7, 2]);
  const texts = new Newest<string>();
  for (const key of ["a", "b", "c"]) texts.put(key, key.repeat(500_000));
  assert.deepEqual([texts.has("a"), texts.has("b"), texts.omitted], [false, true, 1]);
});

test("what is restored has the limits of what was saved", () => {
  const texts = new Newest<string>();
  texts.put("a", "a".repeat(700_000));
  const restored = new Newest<string>(JSON.parse(JSON.stringify(texts.save())));
  restored.put("b", "b".repeat(700_000));
  assert.deepEqual([restored.has("a"), restored.omitted], [false, 1]);
});
