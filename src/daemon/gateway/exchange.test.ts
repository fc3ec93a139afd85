import assert from "node:assert/strict";
import { test } from "node:test";
import { costOf, prices } from "./exchange.ts";

const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cachedInputTokens: 400_000,
  cacheWriteTokens: 100_000,
  reasoningTokens: 0,
};

test("costOf counts input from and to the cache at their own prices", () => {
  // 500,000 fresh at 3, 400,000 cached at 0.30, 100,000 written at 3.75, 100,000 out at 15.
  assert.equal(costOf("claude-sonnet-4-5", usage), 1.5 + 0.12 + 0.375 + 1.5);
});

test("costOf finds a model with its date or its provider, and none that is only alike", () => {
  const known = costOf("claude-sonnet-4-5", usage);
  for (const name of ["claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5", "claude-sonnet-4-5@20250929"]) {
    assert.equal(costOf(name, usage), known);
  }
  for (const name of ["claude-sonnet-4-55", "gpt-5-turbo", "toString", "", null])
    assert.equal(costOf(name, usage), null);
  assert.equal(costOf("gpt-5", null), null);
});

test("every price is a number, and reading from a cache is not dearer than reading", () => {
  for (const [name, { cacheWrite, cached, input, output }] of Object.entries(prices)) {
    assert.ok([cacheWrite, cached, input, output].every((each) => each > 0) && cached <= input, name);
  }
});
