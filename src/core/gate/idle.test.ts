import assert from "node:assert/strict";
import { test } from "node:test";
import { IdleWatch } from "./idle.ts";

const options = { firstEventMs: 1_000, betweenEventsMs: 100 };

test("a stream has longer for its first event than between two", () => {
  const watch = new IdleWatch(0, options);
  assert.deepEqual(watch.check(999), { idle: false, dueInMs: 1 });
  assert.deepEqual(watch.check(1_000), { idle: true, silentMs: 1_000 });
  watch.event(500);
  assert.deepEqual(watch.check(599), { idle: false, dueInMs: 1 });
  assert.deepEqual(watch.check(600), { idle: true, silentMs: 100 });
});

test("before the first event it is looked at as often as the silence behind it may last", () => {
  const watch = new IdleWatch(0, options);
  assert.deepEqual(watch.check(0), { idle: false, dueInMs: 100 });
  assert.deepEqual(watch.check(950), { idle: false, dueInMs: 50 });
});

test("the time in which our own reader was paused does not count", () => {
  const watch = new IdleWatch(0, options);
  watch.event(0);
  watch.pause(50);
  watch.pause(60);
  assert.deepEqual(watch.check(10_000), { idle: false, dueInMs: 50 });
  watch.resume(10_000);
  watch.resume(10_000);
  assert.deepEqual(watch.check(10_049), { idle: false, dueInMs: 1 });
  assert.equal(watch.check(10_050).idle, true);
});

test("a pause of no time leaves the limit", () => {
  const watch = new IdleWatch(0, options);
  watch.event(0);
  watch.pause(50);
  watch.resume(50);
  assert.deepEqual(watch.check(50), { idle: false, dueInMs: 50 });
});

test("an event that was read during a pause starts the time anew", () => {
  const watch = new IdleWatch(0, options);
  watch.pause(50);
  watch.event(70);
  watch.resume(80);
  assert.deepEqual(watch.check(80), { idle: false, dueInMs: 100 });
});

test("a clock that goes back makes nothing idle", () => {
  const watch = new IdleWatch(1_000, options);
  watch.event(500);
  assert.deepEqual(watch.check(900), { idle: false, dueInMs: 100 });
});
