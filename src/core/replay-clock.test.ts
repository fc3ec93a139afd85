import assert from "node:assert/strict";
import { test } from "node:test";
import { advanceClock, untilDueMs, type ReplayClockState } from "./replay-clock.ts";

const playing: ReplayClockState = { atMs: 0, isPlaying: true, speed: 2, idleMsMax: 1_000 };

test("advanceClock goes at its speed and stops at the end", () => {
  assert.equal(advanceClock(playing, 100, { nextMs: 500, endMs: 900 }).atMs, 200);
  assert.deepEqual(advanceClock({ ...playing, atMs: 850 }, 100, { nextMs: undefined, endMs: 900 }), {
    ...playing,
    atMs: 900,
    isPlaying: false,
  });
});

test("advanceClock cuts a long pause to a second, and leaves it where idle time is wanted", () => {
  assert.equal(advanceClock(playing, 100, { nextMs: 60_000, endMs: 90_000 }).atMs, 59_200);
  assert.equal(advanceClock({ ...playing, idleMsMax: Infinity }, 100, { nextMs: 60_000, endMs: 90_000 }).atMs, 200);
});

test("advanceClock does nothing while it is paused", () => {
  const paused = { ...playing, isPlaying: false };
  assert.equal(advanceClock(paused, 100, { nextMs: 1, endMs: 9 }), paused);
});

test("untilDueMs is the rest of the recording's time divided by the speed, cut where a pause is long, and 0 where it is late", () => {
  assert.equal(untilDueMs({ ...playing, atMs: 100 }, 500), 200);
  assert.equal(untilDueMs(playing, 60_000), 500);
  assert.equal(untilDueMs({ ...playing, atMs: 600 }, 500), 0);
});

test("a clock that was late catches up", () => {
  const late = advanceClock({ ...playing, speed: 1 }, 150, { nextMs: 100, endMs: Infinity });
  assert.equal(untilDueMs(late, 100), 0);
  assert.equal(untilDueMs(late, 300), 150);
});
