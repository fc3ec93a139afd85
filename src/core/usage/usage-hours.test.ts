import assert from "node:assert/strict";
import { test } from "node:test";
import { addToHours, keyOfHour, type UsageHour } from "./usage-hours.ts";

const HOUR_US = 3_600_000_000;
const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 1, cacheWriteTokens: 0, reasoningTokens: 0 };
const answer = { usage, costUsd: 0.5, model: "m", agent: "claude", timeUs: HOUR_US + 5 };

test("answers of one hour, agent and model are added up, and an unknown price is counted apart", () => {
  const first = addToHours([], answer);
  const { changed, hours } = addToHours(first.hours, { ...answer, costUsd: null });
  assert.deepEqual(changed, {
    hourUs: HOUR_US,
    agent: "claude",
    model: "m",
    requests: 2,
    input: 20,
    output: 4,
    cachedInput: 2,
    reasoning: 0,
    costUsd: 0.5,
    unpriced: 1,
  });
  assert.equal(hours.length, 1);
  assert.equal(addToHours([], { ...answer, usage: null, costUsd: null }).changed.unpriced, 0);
});

test("a new hour begins at zero and lets go of those before it", () => {
  const first = addToHours([], answer);
  const { changed, hours } = addToHours(first.hours, { ...answer, timeUs: 2 * HOUR_US });
  assert.deepEqual([hours.length, changed.requests, keyOfHour(changed)], [1, 1, `${2 * HOUR_US} claude m`]);
});

test("1,000 models of one hour are kept as 51", () => {
  let hours: readonly UsageHour[] = [];
  for (let index = 0; index < 1000; index++) ({ hours } = addToHours(hours, { ...answer, model: `m${index}` }));
  assert.equal(hours.length, 51);
  assert.equal(hours.find(({ model }) => model === "other")?.requests, 950);
});
