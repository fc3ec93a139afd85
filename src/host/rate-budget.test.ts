import assert from "node:assert/strict";
import { test } from "node:test";
import { RateBudget } from "./rate-budget.ts";

test("some come at once, then the average holds", () => {
  const budget = new RateBudget({ atOnceMax: 3, perSecondMax: 50 });
  assert.deepEqual(
    [0, 0, 0, 0, 0].map(() => budget.take(1000)),
    [0, 0, 0, 20, 20],
  );
  assert.deepEqual([budget.take(1010), budget.take(1020), budget.take(1021)], [10, 0, 19]);
});

test("a rest fills it up, and not more than that", () => {
  const budget = new RateBudget({ atOnceMax: 2, perSecondMax: 1 });
  assert.deepEqual(
    [0, 0, 0].map(() => budget.take(0)),
    [0, 0, 1000],
  );
  assert.deepEqual(
    [0, 0, 0].map(() => budget.take(60_000)),
    [0, 0, 1000],
  );
});

test("over any ten seconds at most five hundred and the first few come", () => {
  const budget = new RateBudget({ atOnceMax: 10, perSecondMax: 50 });
  let taken = 0;
  for (let nowMs = 0; nowMs < 10_000; nowMs += 0.5) if (budget.take(nowMs) === 0) taken += 1;
  assert.ok(taken >= 500 && taken <= 510, `${taken}`);
});
