import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOfStatus, paceOf, PRESENT_MS, retryAfterMs } from "./pace.ts";

const facts = { nowMs: 100_000, sinceMs: 90_000, afterMs: 20_000, seenMs: null, lastMs: null, gapMs: 10_000 };

test("a notice waits until it has been so for the time of its rule", () => {
  assert.deepEqual(paceOf(facts), { type: "wait", untilMs: 110_000 });
  assert.deepEqual(paceOf({ ...facts, nowMs: 110_000 }), { type: "send" });
});

test("who came after it began has seen it; who left shortly before may still be there", () => {
  assert.deepEqual(paceOf({ ...facts, seenMs: 95_000 }), { type: "seen" });
  assert.deepEqual(paceOf({ ...facts, nowMs: 120_000, seenMs: 80_000 }), {
    type: "wait",
    untilMs: 80_000 + PRESENT_MS,
  });
  assert.deepEqual(paceOf({ ...facts, nowMs: 140_000, seenMs: 80_000 }), { type: "send" });
});

test("a flood of changes gives its first and its last notice", () => {
  let sent = 0;
  let lastMs: number | null = null;
  for (let nowMs = 0; nowMs <= 10_000; nowMs += 10) {
    if (paceOf({ nowMs, sinceMs: nowMs, afterMs: 0, seenMs: null, lastMs, gapMs: 10_000 }).type !== "send") continue;
    sent += 1;
    lastMs = nowMs;
  }
  assert.equal(sent, 2);
});

test("there are six attempts, and then no more", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6].map(retryAfterMs), [5000, 30_000, 300_000, 1_800_000, 7_200_000, undefined]);
});

test("each answer of a server has its outcome and its next step", () => {
  const outcome = (status: number, retryAfter?: string) =>
    outcomeOfStatus({ status, text: "", retryAfter }, "x.example");
  assert.deepEqual(outcome(204), { type: "sent", detail: "x.example answered 204" });
  assert.deepEqual(outcome(302).type, "refused");
  assert.deepEqual(outcome(410).type, "gone");
  assert.deepEqual(outcome(401), { type: "failed", reason: "x.example answered 401: check the token" });
  assert.deepEqual(outcome(503, "120"), { type: "failed", reason: "x.example answered 503", retryAfterMs: 120_000 });
  assert.deepEqual(outcome(503, "999999"), { type: "failed", reason: "x.example answered 503" });
});
