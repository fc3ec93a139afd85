import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decideRetry, RetryBudget, type RetryAttempt } from "./retry.ts";

const status = (code: number, retryAfterMs: number | null = null): RetryAttempt["failure"] => ({
  type: "status",
  status: code,
  retryAfterMs,
});
const attempt = (changes: Partial<RetryAttempt>): RetryAttempt => ({
  failure: { type: "refused" },
  attempts: 1,
  forwarded: false,
  elapsedMs: 0,
  lastDelayMs: 0,
  random: 0,
  ...changes,
});
const reason = (changes: Partial<RetryAttempt>): string => {
  const decision = decideRetry(attempt(changes));
  return decision.retry ? "retry" : decision.reason;
};

test("nothing is retried after something was forwarded", () => {
  assert.equal(reason({ forwarded: true }), "forwarded");
});

test("failures that pass are retried, others are not", () => {
  for (const code of [408, 425, 429, 500, 502, 503, 504, 529])
    assert.equal(reason({ failure: status(code) }), "retry", `${code}`);
  for (const code of [400, 401, 403, 404, 413, 422, 501, 505])
    assert.equal(reason({ failure: status(code) }), "permanent", `${code}`);
  for (const type of ["refused", "reset", "idle"] as const) assert.equal(reason({ failure: { type } }), "retry");
});

test("attempts, total time and a long Retry-After end it", () => {
  assert.equal(reason({ attempts: 3 }), "attempts");
  assert.equal(reason({ elapsedMs: 59_900 }), "total");
  assert.equal(reason({ failure: status(429, 30_001) }), "retry-after");
});

test("a Retry-After is waited for where it is longer than the delay", () => {
  assert.deepEqual(decideRetry(attempt({ failure: status(429, 7_000) })), { retry: true, delayMs: 7_000 });
  assert.deepEqual(decideRetry(attempt({ failure: status(429, 1), random: 0.5 })), { retry: true, delayMs: 750 });
});

const delay = (lastDelayMs: number, random: number): number => {
  const decision = decideRetry(attempt({ lastDelayMs, random }));
  return decision.retry ? decision.delayMs : -1;
};

test("delays spread up to three times the last one", () => {
  assert.deepEqual(
    [delay(0, 0), delay(0, 0.999), delay(1_000, 0), delay(1_000, 0.999), delay(20_000, 0.999)],
    [500, 1_000, 500, 2_998, 20_000],
  );
});

test("a delay is always within its bounds", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 0.999_999, noNaN: true }),
      fc.integer({ min: 0, max: 100_000 }),
      (random, lastDelayMs) => {
        const decision = decideRetry(attempt({ random, lastDelayMs }));
        assert.ok(decision.retry && decision.delayMs >= 500 && decision.delayMs <= 20_000);
      },
    ),
  );
});

test("a budget lets a share of the requests be retried, and some at first", () => {
  const budget = new RetryBudget();
  const first = Array.from({ length: 11 }, () => budget.retry());
  assert.deepEqual(first, [...Array.from({ length: 10 }, () => true), false]);
  for (let request = 0; request < 5; request += 1) budget.request();
  assert.deepEqual([budget.retry(), budget.retry()], [true, false]);
});
