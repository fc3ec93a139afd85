import assert from "node:assert/strict";
import { test } from "node:test";
import { SeenFacts } from "./seen-facts.ts";

const fact = (source: string, id: string) => ({ type: "fact", source, id, payload: null }) as const;

test("a fact is taken once in its source, also after a restart", () => {
  const seen = new SeenFacts();
  assert.deepEqual(
    [fact("a", "1"), fact("a", "1"), fact("b", "1"), fact("a", "2")].map((one) => seen.take(one)),
    [true, false, true, true],
  );
  assert.equal(new SeenFacts(seen.save()).take(fact("a", "1")), false);
});

test("facts without an id are all taken", () => {
  const seen = new SeenFacts();
  assert.ok(seen.take(fact("a", "")) && seen.take(fact("a", "")));
});

test("the memory is bounded: the oldest of 1,000 is forgotten", () => {
  const seen = new SeenFacts();
  for (let id = 0; id <= 1000; id += 1) seen.take(fact("a", String(id)));
  assert.equal(seen.save().length, 1000);
  assert.deepEqual([seen.take(fact("a", "1")), seen.take(fact("a", "0"))], [false, true]);
});
