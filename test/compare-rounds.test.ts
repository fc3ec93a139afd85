/** When `npm run bench` calls a figure worse than at the kept commit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRounds, type Round } from "../bench/support/compare-rounds.ts";

type Better = "less" | "more";

const round = (value: number, better: Better, name = "figure"): Round =>
  new Map([[name, { name, value, unit: "ms", better, goal: 10 }]]);

const rowOf = (now: readonly number[], before: readonly number[], better: Better) =>
  compareRounds(
    now.map((value) => round(value, better)),
    before.map((value) => round(value, better)),
  )[0]!;

test("a figure is worse if it is so at the median by more than the share, and in all rounds but one", () => {
  assert.equal(rowOf([12, 12, 12, 12, 9], [10, 10, 10, 10, 10], "less").isWorse, true);
  assert.equal(rowOf([11, 11, 11, 11, 11], [10, 10, 10, 10, 10], "less").isWorse, false, "10 % is within the share");
  assert.equal(rowOf([12, 12, 12, 9, 9], [10, 10, 10, 10, 10], "less").isWorse, false, "two rounds say otherwise");
  assert.equal(rowOf([8, 8, 8], [10, 10, 10], "more").isWorse, true);
  assert.equal(rowOf([8, 8, 8], [10, 10, 10], "less").isWorse, false);
  assert.equal(rowOf([20], [10], "less").isWorse, true);
});

test("the rows are medians, and the ratio is of the rounds, so that a busy round affects both sides alike", () => {
  const { now, before, ratio, meetsGoal } = rowOf([5, 50, 6], [10, 100, 12], "less");
  assert.deepEqual({ now, before, ratio, meetsGoal }, { now: 6, before: 12, ratio: 2, meetsGoal: true });
});

test("a figure that only one side has is neither better nor worse", () => {
  const [row] = compareRounds([round(1, "less")], [round(1, "less", "another")]);
  assert.ok(row);
  assert.deepEqual([Number.isNaN(row.before), Number.isNaN(row.ratio), row.isWorse], [true, true, false]);
});

test("an added time below nothing is noise, not an endless gain", () => {
  assert.equal(rowOf([-0.1, -0.1], [-0.2, -0.3], "less").ratio, 1);
});
