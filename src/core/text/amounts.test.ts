import assert from "node:assert/strict";
import { test } from "node:test";
import { dollars, shortCount } from "./amounts.ts";

test("counts and prices are short", () => {
  assert.deepEqual([0, 940, 12_345, 123_456, 999_600, 4_000_000].map(shortCount), [
    "0",
    "940",
    "12.3k",
    "123k",
    "1M",
    "4M",
  ]);
  assert.deepEqual([0, 0.004, 0.42, 12].map(dollars), ["$0.00", "$0.004", "$0.42", "$12.00"]);
});
