import assert from "node:assert/strict";
import { test } from "node:test";
import { ReadTurn } from "./read-turn.ts";

test("a turn has room for so many bytes, and the next one again", async () => {
  const turn = new ReadTurn(100);
  assert.equal(turn.next, undefined);
  turn.took(99);
  assert.equal(turn.next, undefined);
  turn.took(50);
  const { next } = turn;
  assert.ok(next);
  await Promise.resolve();
  assert.equal(turn.next, next, "microtasks are of the same turn");
  await next;
  assert.equal(turn.next, undefined);
});
