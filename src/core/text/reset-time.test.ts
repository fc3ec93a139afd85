import assert from "node:assert/strict";
import { test } from "node:test";
import { resetTime } from "./reset-time.ts";

/** Thursday, 26 November 2026, 09:30 UTC. */
const nowUs = Date.UTC(2026, 10, 26, 9, 30) * 1000;

function at(text: string, timeZone: string | null = null): string | null {
  const time = resetTime(text, { nowUs, timeZone });
  return time === null ? null : new Date(time / 1000).toISOString().slice(0, 16);
}

test("resetTime reads times with their zone, without a day as the next one", () => {
  assert.equal(at("3pm (Europe/Berlin)"), "2026-11-26T14:00");
  assert.equal(at("3:45 PM (America/New_York)"), "2026-11-26T20:45");
  assert.equal(at("9am (Europe/Berlin)"), "2026-11-27T08:00");
  assert.equal(at("14:00 UTC"), "2026-11-26T14:00");
  assert.equal(at("12am (UTC)"), "2026-11-27T00:00");
  assert.equal(at("Nov 30, 3pm (Europe/Berlin)"), "2026-11-30T14:00");
  assert.equal(at("Nov 30 at 3pm (Europe/Berlin)"), "2026-11-30T14:00");
  assert.equal(at("Jan 2, 10:30am (Asia/Kolkata)"), "2027-01-02T05:00");
  assert.equal(at("Mon 9:00 AM (UTC)"), "2026-11-30T09:00");
  assert.equal(at("Mar 29th, 2027 3:30 AM (Europe/Berlin)"), "2027-03-29T01:30");
});

test("resetTime takes a time without a zone for one of the program's own zone, if that is known", () => {
  assert.equal(at("3:05 PM", "Asia/Tokyo"), "2026-11-27T06:05");
  assert.equal(at("3:05 PM"), null);
  assert.equal(at("Nov 27th, 2026 3:05 PM", "Europe/Berlin"), "2026-11-27T14:05");
});

test("resetTime reads how long it takes, and ISO times", () => {
  assert.equal(at("in 2 hours 5 minutes"), "2026-11-26T11:35");
  assert.equal(at("5 days 3 hours 12 minutes"), "2026-12-01T12:42");
  assert.equal(at("1h 30m"), "2026-11-26T11:00");
  assert.equal(at("2026-11-26T15:00:00+01:00"), "2026-11-26T14:00");
});

test("resetTime does not guess", () => {
  assert.equal(at("3 PM PST", "Europe/Berlin"), null);
  assert.equal(at("3pm (Mars/Olympus)"), null);
  assert.equal(at("later", "UTC"), null);
  assert.equal(at("", "UTC"), null);
  assert.equal(at("25:00 UTC"), null);
  assert.equal(at("2026-11-20T15:00:00Z"), null);
});
