import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDueTime, progressText } from "./prompt.ts";

const noon = new Date(2026, 10, 26, 12, 0, 0).getTime();
const local = (day: number, hour: number, minute: number, second = 0): number =>
  new Date(2026, 10, day, hour, minute, second).getTime();

test("a time of day is the next one, in the local zone", () => {
  assert.equal(parseDueTime("14:00", noon), local(26, 14, 0));
  assert.equal(parseDueTime("12:00", noon), local(27, 12, 0));
  assert.equal(parseDueTime("9:05:30", noon), local(27, 9, 5, 30));
});

test("a span counts from now", () => {
  for (const text of ["+2h", "in 2h", "+ 120m", " in 7200s "]) assert.equal(parseDueTime(text, noon), noon + 7_200_000);
});

test("a date with a zone is exact, and without one local", () => {
  assert.equal(parseDueTime("2026-11-27T14:00:00Z", noon), Date.UTC(2026, 10, 27, 14));
  assert.equal(parseDueTime("2026-11-27T14:00+02:00", noon), Date.UTC(2026, 10, 27, 12));
  assert.equal(parseDueTime("2026-11-27 14:00", noon), local(27, 14, 0));
});

test("what is not certain is no time", () => {
  const texts = [
    "",
    "2h",
    "25:00",
    "14",
    "+",
    "+soon",
    "tomorrow",
    "2026-11-27",
    "2026-02-30T10:00",
    "2026-13-01T10:00",
  ];
  for (const text of texts) assert.equal(parseDueTime(text, noon), undefined, text);
});

test("progress is why a prompt waits, and then what the session does", () => {
  const status = { state: "working", summary: "Working\n(12s)" } as const;
  assert.equal(
    progressText({ state: "accepted", reason: "waits until it is at its prompt" }, status),
    "accepted: waits until it is at its prompt",
  );
  assert.equal(progressText({ state: "echoed", reason: null }, status), "echoed");
  assert.equal(progressText({ state: "working", reason: null }, status), "working  Working ⏎ (12s)");
  assert.equal(progressText({ state: "working", reason: null }, null), "working");
});
