import assert from "node:assert/strict";
import { test } from "node:test";
import { Observed } from "../../../test/observed.ts";
import type { Mark } from "../records.ts";
import { wireRequest, wireTurn } from "../../../test/marks.ts";
import type { Step } from "../observe/step.ts";
import { UsageFold } from "./usage-fold.ts";

const mark = (event: Mark): Step => ({ type: "mark", event, offset: 0, end: 1, timeUs: 0 });

function turn(inputTokens: number, costUsd: number | null): Step {
  const usage = { inputTokens, outputTokens: 2, cachedInputTokens: 1, cacheWriteTokens: 0, reasoningTokens: 0 };
  return mark(wireTurn({ usage, costUsd }));
}

test("UsageFold sums what the gateway saw, and goes on from what it saved", () => {
  const first = new Observed(new UsageFold());
  first.step(turn(10, 0.5));
  const [change] = new Observed(new UsageFold(structuredClone(first.reducer.save()))).step(turn(5, 0.25));
  assert.deepEqual([change?.hour.requests, change?.hour.costUsd], [2, 0.75]);
  assert.deepEqual(change?.usage, { requests: 2, input: 15, output: 4, cachedInput: 2, reasoning: 0, costUsd: 0.75 });
});

test("a price that is not known makes the sum unknown, and the tokens are still counted", () => {
  const fold = new Observed(new UsageFold());
  fold.step(turn(1, 0.5));
  assert.equal(fold.step(turn(1, null))[0]?.usage.costUsd, null);
  const [change] = fold.step(turn(1, 0.5));
  assert.deepEqual([change?.usage.requests, change?.usage.input, change?.usage.costUsd], [3, 3, null]);
  assert.deepEqual([change?.hour.costUsd, change?.hour.unpriced], [1, 1]);
});

test("other marks change nothing", () => {
  assert.deepEqual(new Observed(new UsageFold()).step(mark(wireRequest())), []);
});
