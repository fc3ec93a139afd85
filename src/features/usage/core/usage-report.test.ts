import assert from "node:assert/strict";
import { test } from "node:test";
import { noSum } from "../../../core/usage/usage-hours.ts";
import { usageReport, type SessionHour, type UsageReportOptions } from "./usage-report.ts";

const hour = (time: string, given: Partial<SessionHour> = {}): SessionHour => ({
  ...noSum,
  hourUs: Date.parse(time) * 1000,
  agent: "claude",
  model: "m",
  session: "s1",
  name: "work",
  labels: {},
  requests: 1,
  input: 10,
  costUsd: 1,
  ...given,
});

const hours = [
  hour("2026-11-25T22:00Z"),
  hour("2026-11-25T23:00Z", { labels: { team: "core" }, session: "s2", name: "other", costUsd: 5 }),
  hour("2026-11-26T10:00Z", { agent: null, model: null, costUsd: 0, unpriced: 1 }),
];

const keysOf = (options: Partial<UsageReportOptions>): unknown[] =>
  usageReport(hours, { by: "day", timeZone: "UTC", ...options }).rows.map(({ key, costUsd }) => [key, costUsd]);

test("usage is added up by each property, the most expensive first", () => {
  assert.deepEqual(keysOf({ by: "session" }), [
    ["s2", 5],
    ["s1", 1],
  ]);
  assert.deepEqual(keysOf({ by: "agent" }), [
    ["claude", 6],
    [null, 0],
  ]);
  assert.deepEqual(keysOf({ by: "label", label: "team" }), [
    ["core", 5],
    [null, 1],
  ]);
  assert.deepEqual(usageReport(hours, { by: "model", timeZone: "UTC" }).total, {
    ...noSum,
    requests: 3,
    input: 30,
    costUsd: 6,
    unpriced: 1,
  });
});

test("a day begins at midnight of the time zone, and days are in their order", () => {
  assert.deepEqual(keysOf({}), [
    ["2026-11-25", 6],
    ["2026-11-26", 0],
  ]);
  assert.deepEqual(keysOf({ timeZone: "Europe/Berlin" }), [
    ["2026-11-25", 1],
    ["2026-11-26", 5],
  ]);
  assert.throws(() => keysOf({ timeZone: "Nowhere/Else" }), RangeError);
});
