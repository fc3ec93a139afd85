import assert from "node:assert/strict";
import { test } from "node:test";
import { surplusOf } from "./listener-places.ts";

/** `a1 b1 a2`: each a connection of the source that its letter names, in order of age. */
const connections = (names: string): { source: string; name: string }[] =>
  names.split(" ").map((name) => ({ source: name.slice(0, 1), name }));

const surplus = (names: string, stays: number): string =>
  surplusOf(connections(names), stays)
    .map(({ name }) => name)
    .join(" ");

test("the oldest connections of whoever has the most go first", () => {
  assert.equal(surplus("a1 a2 a3", 3), "");
  assert.equal(surplus("a1 a2 a3", 1), "a1 a2");
  assert.equal(surplus("b1 a1 a2 a3 a4", 3), "a1 a2");
  assert.equal(surplus("a1 a2 a3 b1 b2", 2), "a1 a2 b1");
  assert.equal(surplus("a1 b1 c1 b2", 3), "b1");
});
