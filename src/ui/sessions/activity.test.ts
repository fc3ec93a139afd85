import assert from "node:assert/strict";
import { test } from "node:test";
import { ActivityMeter, ACTIVITY_SAMPLES, sparklinePath } from "./activity.ts";

test("ActivityMeter gives what came between two looks, and forgets the oldest", () => {
  const activity = new ActivityMeter();
  assert.deepEqual(activity.feed(100, 0), []);
  assert.deepEqual(activity.feed(130, 1000), [30]);
  assert.deepEqual(activity.feed(130, 2000), [30, 0]);
  for (let second = 3; second < 3 + ACTIVITY_SAMPLES; second += 1) activity.feed(130, second * 1000);
  assert.deepEqual(activity.feed(130, 99_000), []);
});

test("ActivityMeter is active for three seconds after output", () => {
  const activity = new ActivityMeter();
  activity.feed(0, 0);
  assert.ok(!activity.isActive(0));
  activity.feed(1, 1000);
  assert.ok(activity.isActive(3999));
  assert.ok(!activity.isActive(4000));
});

test("sparklinePath is quiet where nothing is known yet, and ends at the right edge", () => {
  const path = sparklinePath([0, 4], 39, 10);
  assert.ok(path.startsWith("M0.0 10.0L1.0 10.0"));
  assert.ok(path.endsWith("L38.0 10.0L39.0 0.0"));
});
