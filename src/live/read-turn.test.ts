import assert from "node:assert/strict";
import { test } from "node:test";
import { ReadTurn } from "./read-turn.ts";

test("a turn has room for so many bytes, and the next one again", async () => {
  const turn = new ReadTurn(100);
  const isOver = (): boolean => turn.next !== undefined;
  assert.equal(isOver(), false);
  turn.took(99);
  assert.equal(isOver(), false);
  turn.took(50);
  const later = turn.next;
  await Promise.resolve();
  assert.ok(isOver(), "microtasks are of the same turn");
  await later;
  assert.equal(isOver(), false);
});
