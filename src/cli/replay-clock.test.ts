import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplayClock } from "./replay-clock.ts";

test("outputs are due at their time divided by the speed, and late ones at once", () => {
  const clock = new ReplayClock({ speed: 2, idleMsMax: Infinity });
  clock.start(1000);
  assert.equal(clock.delayMs(500, 1000), 250);
  assert.equal(clock.delayMs(1000, 1250), 250);
  assert.equal(clock.delayMs(1100, 2000), 0);
});

test("being late once is caught up and not kept", () => {
  const clock = new ReplayClock({ speed: 1, idleMsMax: Infinity });
  clock.start(0);
  clock.delayMs(100, 0);
  clock.delayMs(200, 150);
  assert.equal(clock.delayMs(300, 250), 50);
});

test("a long pause of the recording is cut", () => {
  const clock = new ReplayClock({ speed: 1, idleMsMax: 1000 });
  clock.start(0);
  assert.equal(clock.delayMs(60_000, 0), 1000);
  assert.equal(clock.delayMs(60_500, 1000), 500);
});

test("a time that goes back does not wait", () => {
  const clock = new ReplayClock({ speed: 1, idleMsMax: 1000 });
  clock.start(0);
  clock.delayMs(500, 0);
  assert.equal(clock.delayMs(100, 500), 0);
});

test("while it is paused no time passes", () => {
  const clock = new ReplayClock({ speed: 1, idleMsMax: 10_000 });
  clock.start(0);
  assert.equal(clock.delayMs(1000, 0), 1000);
  clock.toggle(400);
  assert.equal(clock.paused, true);
  clock.toggle(5400);
  assert.equal(clock.paused, false);
  assert.equal(clock.remainingMs(5400), 600);
});
