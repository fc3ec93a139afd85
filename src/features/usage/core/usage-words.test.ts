import assert from "node:assert/strict";
import { test } from "node:test";
import { costWords, tokenWords } from "./usage-words.ts";

test("tokens are short, and exact below a thousand", () => {
  const words = [0, 999, 1000, 12_345, 123_456, 999_499, 999_500, 45_600_000].map(tokenWords);
  assert.deepEqual(words, ["0", "999", "1.0k", "12.3k", "123k", "999k", "1.0M", "45.6M"]);
});

test("a cost says when the price of some answers is not known", () => {
  assert.equal(costWords({ costUsd: 0.0123, requests: 1, unpriced: 0 }), "$0.0123");
  assert.equal(costWords({ costUsd: 12.5, requests: 2, unpriced: 1 }), "$12.50 + ?");
  assert.equal(costWords({ costUsd: 0, requests: 2, unpriced: 2 }), "unknown");
  assert.equal(costWords({ costUsd: 0, requests: 2, unpriced: 0 }), "$0.00");
});
