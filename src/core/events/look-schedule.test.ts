import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ForegroundVerdict } from "../records.ts";
import { LookSchedule } from "./look-schedule.ts";

/** Takes each look when it is due and returns the waits before them, until there is none or `count` were taken. */
function waitsAfter(schedule: LookSchedule, verdict: ForegroundVerdict, count: number): number[] {
  const waits: number[] = [];
  let nowMs = 1000;
  for (let due: number | undefined = schedule.moved(nowMs); due !== undefined && waits.length < count;) {
    waits.push(due - nowMs);
    nowMs = due;
    due = schedule.looked(nowMs, verdict);
  }
  return waits;
}

test("looks come after 1, 2, 4, ... 250 ms, then each second, then every ten", () => {
  const waits = waitsAfter(new LookSchedule(), "busy", 76);
  assert.deepEqual(waits.slice(0, 12), [1, 2, 4, 8, 16, 32, 64, 128, 250, 1000, 1000, 1000]);
  assert.deepEqual(waits.slice(66), [1000, 1000, 1000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000]);
});

test("a program that waits for a person is left alone after 250 ms", () => {
  assert.deepEqual(waitsAfter(new LookSchedule(), "raw", 100), [1, 2, 4, 8, 16, 32, 64, 128]);
});

test("nothing is planned before something moves, and where there is no probe only one look is taken", () => {
  const schedule = new LookSchedule();
  assert.equal(schedule.dueMs, undefined);
  assert.deepEqual(waitsAfter(schedule, "not-available", 100), [1]);
});

test("a movement brings the next look near", () => {
  const schedule = new LookSchedule();
  schedule.moved(0);
  for (const nowMs of [1, 3, 7, 15, 31]) schedule.looked(nowMs, "busy");
  assert.equal(schedule.dueMs, 63);
  assert.equal(schedule.moved(40), 41);
});

test("a flood is looked at 62 times a second, and its end soon", () => {
  const schedule = new LookSchedule();
  const looks: number[] = [];
  for (let nowMs = 0; nowMs < 1000; nowMs += 0.05) {
    const due = schedule.moved(nowMs);
    if (due <= nowMs) {
      looks.push(nowMs);
      schedule.looked(nowMs, "busy");
    }
  }
  assert.ok(looks.length >= 60 && looks.length <= 70, `${looks.length} looks`);
  assert.ok((schedule.dueMs ?? Infinity) <= 1016, `${schedule.dueMs}`);
});

test("while nothing waits for a person a next look is always due, and never before now", () => {
  const steps = fc.array(fc.record({ afterMs: fc.double({ min: 0, max: 300, noNaN: true }), moves: fc.boolean() }));
  fc.assert(
    fc.property(steps, (given) => {
      const schedule = new LookSchedule();
      let nowMs = 0;
      schedule.moved(nowMs);
      for (const { afterMs, moves } of given) {
        nowMs += afterMs;
        const due = moves ? schedule.moved(nowMs) : schedule.looked(nowMs, "busy");
        assert.ok(due !== undefined && (moves || due > nowMs));
      }
    }),
  );
});
