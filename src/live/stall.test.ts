import assert from "node:assert/strict";
import { test } from "node:test";
import { Stall } from "./stall.ts";

const start = { intervalMs: 60, nowMs: 1000, ranMs: 500 };

/** The silence after looks each 60 ms, in which the thread ran for so long. */
function after(looks: number, { ranMs, isRunnable }: { ranMs: number; isRunnable: boolean }): number {
  const stall = new Stall(start);
  let silenceMs = 0;
  for (let look = 1; look <= looks; look++)
    silenceMs = stall.silenceMs({ nowMs: 1000 + look * 60, ranMs: 500 + ranMs * look, isRunnable });
  return silenceMs;
}

test("what a thread runs counts in full, what it sleeps at a tenth, and what it waits for a processor not at all", () => {
  assert.equal(after(10, { ranMs: 60, isRunnable: true }), 600);
  assert.equal(after(100, { ranMs: 0, isRunnable: false }), 600);
  assert.equal(after(1000, { ranMs: 0.1, isRunnable: true }), 100);
});

test("a process that stood still does not take its own pause for that of its thread", () => {
  const stall = new Stall(start);
  assert.equal(stall.silenceMs({ nowMs: 61_000, ranMs: 500, isRunnable: false }), 12);
  assert.equal(stall.silenceMs({ nowMs: 61_060, ranMs: 500, isRunnable: false }), 18);
  const unknown = new Stall({ ...start, ranMs: null });
  assert.equal(unknown.silenceMs({ nowMs: 61_000, ranMs: null, isRunnable: null }), 120);
  assert.equal(unknown.silenceMs({ nowMs: 61_060, ranMs: null, isRunnable: null }), 180);
});
