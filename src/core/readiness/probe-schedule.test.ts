import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ForegroundVerdict } from "../records.ts";
import { afterMovement, afterProbe, idleSchedule, type ProbeSchedule } from "./probe-schedule.ts";

/** Takes each probe when it is due and returns the waits before them, until there is none or `count` were taken. */
function waitsAfter(before: ProbeSchedule, verdict: ForegroundVerdict, count: number): number[] {
  const waits: number[] = [];
  let nowMs = 1000;
  for (let schedule = afterMovement(before, nowMs); schedule.dueMs !== undefined && waits.length < count;) {
    waits.push(schedule.dueMs - nowMs);
    nowMs = schedule.dueMs;
    schedule = afterProbe(schedule, verdict, nowMs);
  }
  return waits;
}

test("probes come after 1, 2, 4, ... 250 ms, and after a minute every ten seconds", () => {
  const waits = waitsAfter(idleSchedule, "busy", 253);
  assert.deepEqual(waits.slice(0, 11), [1, 2, 4, 8, 16, 32, 64, 128, 250, 250, 250]);
  assert.deepEqual(waits.slice(247), Array<number>(6).fill(10_000));
});

test("a program that waits for a person is left alone after 250 ms", () => {
  assert.deepEqual(waitsAfter(idleSchedule, "raw", 100), [1, 2, 4, 8, 16, 32, 64, 128]);
});

test("nothing is planned before something moves, and without a probe only one attempt is made", () => {
  assert.equal(idleSchedule.dueMs, undefined);
  assert.deepEqual(waitsAfter(idleSchedule, "not-available", 100), [1]);
});

test("a movement brings the next probe near", () => {
  let schedule = afterMovement(idleSchedule, 0);
  for (const nowMs of [1, 3, 7, 15, 31]) schedule = afterProbe(schedule, "busy", nowMs);
  assert.equal(schedule.dueMs, 63);
  assert.equal(afterMovement(schedule, 40).dueMs, 41);
});

test("a flood is probed 62 times a second, and its end soon", () => {
  let schedule = idleSchedule;
  let probes = 0;
  for (let nowMs = 0; nowMs < 1000; nowMs += 0.05) {
    schedule = afterMovement(schedule, nowMs);
    if ((schedule.dueMs ?? Infinity) > nowMs) continue;
    probes++;
    schedule = afterProbe(schedule, "busy", nowMs);
  }
  assert.ok(probes >= 60 && probes <= 70, `${probes} probes`);
  assert.ok((schedule.dueMs ?? Infinity) <= 1016, `${schedule.dueMs}`);
});

test("while nothing waits for a person a next probe is always due, and never before now", () => {
  const steps = fc.array(fc.record({ afterMs: fc.double({ min: 0, max: 300, noNaN: true }), moves: fc.boolean() }));
  fc.assert(
    fc.property(steps, (given) => {
      let nowMs = 0;
      let schedule = afterMovement(idleSchedule, nowMs);
      for (const { afterMs, moves } of given) {
        nowMs += afterMs;
        schedule = moves ? afterMovement(schedule, nowMs) : afterProbe(schedule, "busy", nowMs);
        assert.ok(schedule.dueMs !== undefined && (moves || schedule.dueMs > nowMs));
      }
    }),
  );
});
