import assert from "node:assert/strict";
import { test } from "node:test";
import { MarkerStrategy } from "./marker-strategy.ts";

test("MarkerStrategy is ready when the marker stood at the end for the time to settle", () => {
  const strategy = new MarkerStrategy(["$ ", "(gdb) "], 200);
  strategy.output("user$ ", 1000);
  assert.equal(strategy.dueMs, 1200);
  assert.equal(strategy.isReady(1199), false);
  assert.equal(strategy.isReady(1200), true);
});

test("MarkerStrategy forgets a marker that more text follows", () => {
  const strategy = new MarkerStrategy(["$ "], 200);
  strategy.output("costs 5 $ ", 0);
  strategy.output("costs 5 $ each", 10);
  assert.equal(strategy.isReady(10_000), false);
});

test("MarkerStrategy looks at the end of the last line only", () => {
  const strategy = new MarkerStrategy(["> "], 0);
  strategy.output("a > b", 0);
  assert.equal(strategy.isReady(0), false);
  strategy.output("", 0);
  assert.equal(strategy.isReady(0), false);
});

test("MarkerStrategy knows a prompt of two lines by the last one, and ignores an empty marker", () => {
  const strategy = new MarkerStrategy(["", "user\n$ "], 0);
  strategy.output("$ ", 5);
  assert.equal(strategy.isReady(5), true);
  strategy.output("x", 6);
  assert.equal(strategy.isReady(6), false);
});
