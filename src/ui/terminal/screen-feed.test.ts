import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace } from "./screen-feed.ts";

const after = (...durationsMs: number[]): number => {
  const pace = new Pace();
  for (const durationMs of durationsMs) pace.took(durationMs);
  return pace.bytes / 1024;
};

test("Pace takes less where a piece took too long, more where it was quick, and stays where it is right", () => {
  assert.equal(after(), 64);
  assert.equal(after(20), 32);
  assert.equal(after(1), 128);
  assert.equal(after(7), 64);
});

test("Pace has a least and a most", () => {
  assert.equal(after(...Array.from({ length: 20 }, () => 99)), 8);
  assert.equal(after(...Array.from({ length: 20 }, () => 1)), 256);
});
