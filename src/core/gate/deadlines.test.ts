import assert from "node:assert/strict";
import { test } from "node:test";
import { Deadlines } from "./deadlines.ts";

test("a wait is due once, at its time, earliest first", () => {
  const deadlines = new Deadlines();
  deadlines.start("b", { nowMs: 0, timeoutMs: 20 });
  deadlines.start("a", { nowMs: 5, timeoutMs: 10 });
  assert.equal(deadlines.nextInMs(5), 10);
  assert.deepEqual(deadlines.due(14), []);
  assert.deepEqual(deadlines.due(20), ["a", "b"]);
  assert.deepEqual(deadlines.due(20), []);
  assert.equal(deadlines.nextInMs(20), null);
});

test("a wait that ended is never due, and one that was due cannot end", () => {
  const deadlines = new Deadlines();
  deadlines.start("a", { nowMs: 0, timeoutMs: 10 });
  assert.equal(deadlines.end("a"), true);
  assert.deepEqual(deadlines.due(100), []);
  deadlines.start("a", { nowMs: 0, timeoutMs: 10 });
  deadlines.due(10);
  assert.equal(deadlines.end("a"), false);
});

test("a wait can be started again, and a late look is not negative", () => {
  const deadlines = new Deadlines();
  deadlines.start("a", { nowMs: 0, timeoutMs: 10 });
  deadlines.start("a", { nowMs: 5, timeoutMs: 10 });
  assert.deepEqual(deadlines.due(10), []);
  assert.equal(deadlines.nextInMs(50), 0);
});
