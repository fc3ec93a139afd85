import assert from "node:assert/strict";
import { test } from "node:test";
import { limitText } from "./limit-text.ts";

test("a limit has its local time, with the day if it is not soon", () => {
  const nowMs = new Date(2026, 10, 26, 9, 30).getTime();
  const at = (...time: [number, number, number]) => new Date(2026, 10, ...time).getTime() * 1000;
  assert.equal(limitText({ untilUs: at(26, 14, 0), text: "" }, nowMs), "limit until 14:00");
  // The last minute whose time of day is not that of now.
  assert.equal(limitText({ untilUs: at(27, 9, 28), text: "" }, nowMs), "limit until 09:28");
  assert.equal(limitText({ untilUs: at(27, 9, 29), text: "" }, nowMs + 1), "limit until 09:29");
  // One day on, the time of day alone would be that of now.
  assert.equal(limitText({ untilUs: at(27, 9, 30), text: "" }, nowMs + 500), "limit until 2026-11-27 09:30");
  assert.equal(limitText({ untilUs: at(30, 14, 5), text: "" }, nowMs), "limit until 2026-11-30 14:05");
  assert.equal(limitText({ untilUs: null, text: "" }, nowMs), "usage limit, end unknown");
});
