import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AFTER_LIMIT_HOURS_MAX,
  dueProblem,
  SCHEDULE_DAYS_MAX,
  SCHEDULE_LATE_HOURS_MAX,
  scheduleStep,
} from "./schedule.ts";

const hourUs = 3_600_000_000;
const nowUs = Date.UTC(2026, 10, 26, 12) * 1000;
const steps = [{ state: "scheduled", timeUs: nowUs, offset: 0 }] as const;

test("a time in the past, too far ahead, or no time is refused with the reason", () => {
  assert.equal(dueProblem(nowUs + 1, nowUs), null);
  assert.match(dueProblem(nowUs, nowUs) ?? "", /^2026-11-26T12:00:00.000Z is in the past/);
  const farUs = nowUs + SCHEDULE_DAYS_MAX * 24 * hourUs;
  assert.equal(dueProblem(farUs, nowUs), null);
  assert.match(dueProblem(farUs + 1000, nowUs) ?? "", /more than 30 days ahead/);
  assert.match(dueProblem(Number.MAX_SAFE_INTEGER * 1000, nowUs) ?? "", /is not a date/);
});

test("a prompt waits for its time, and is not typed hours after it", () => {
  const receipt = { dueUs: nowUs, steps };
  const at = (timeUs: number): string => scheduleStep(receipt, { nowUs: timeUs, status: null }).step;
  assert.deepEqual([at(nowUs - 1), at(nowUs), at(nowUs + SCHEDULE_LATE_HOURS_MAX * hourUs)], ["wait", "due", "due"]);
  const late = scheduleStep(receipt, { nowUs: nowUs + SCHEDULE_LATE_HOURS_MAX * hourUs + 1, status: null });
  assert.match(late.step === "expired" ? late.reason : "", /no daemon ran/);
});

test("a prompt waits for the end of a limit that rests, with and without a known time", () => {
  const at = (status: Parameters<typeof scheduleStep>[1]["status"], timeUs = nowUs): string =>
    scheduleStep({ steps }, { nowUs: timeUs, status }).step;
  const limit = { untilUs: null };
  assert.equal(at({ state: "waiting", limit }), "wait");
  assert.equal(at({ state: "waiting", limit: { ...limit, untilUs: nowUs + hourUs } }), "wait");
  assert.deepEqual([at({ state: "working" }), at({ state: "starting" }), at(null)], ["wait", "wait", "wait"]);
  assert.deepEqual([at({ state: "waiting" }), at({ state: "blocked" })], ["due", "due"]);
  assert.equal(at({ state: "waiting", limit }, nowUs + AFTER_LIMIT_HOURS_MAX * hourUs), "expired");
});
