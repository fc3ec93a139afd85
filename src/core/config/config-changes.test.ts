import assert from "node:assert/strict";
import { test } from "node:test";
import { changedKeys } from "./config-changes.ts";
import { flag, texts } from "./config-key.ts";

const summary = "A key.";
const sections = {
  lamp: { summary, keys: { on: flag({ summary, default: false }), dim: flag({ summary, default: false }) } },
  bells: texts({ summary }),
};
const names = (before: object, after: object): string[] =>
  changedKeys(sections, { ...before }, { ...after }).map(({ path }) => path.join("."));

test("the keys that differ are named, in the order of the sections", () => {
  assert.deepEqual(names({}, {}), []);
  assert.deepEqual(names({ lamp: { on: true } }, { bells: ["low"], lamp: { on: false } }), ["lamp.on", "bells"]);
  assert.deepEqual(names({ lamp: { on: true } }, {}), ["lamp.on"]);
});

test("the order of keys in a map is no change, that of a list is", () => {
  assert.deepEqual(names({ bells: [{ a: 1, b: 2 }] }, { bells: [{ b: 2, a: 1 }] }), []);
  assert.deepEqual(names({ bells: ["a", "b"] }, { bells: ["b", "a"] }), ["bells"]);
});
