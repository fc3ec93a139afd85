import assert from "node:assert/strict";
import { test } from "node:test";
import { asciiWord, negated, propertySet, rangesSet } from "./char-set.ts";

test("sets without case hold what folds to a member, before they are negated", () => {
  const word = rangesSet(asciiWord, true);
  assert.deepEqual([word(0x17f), word(0x212a), negated(word)(0x17f)], [true, true, false]);
  assert.equal(rangesSet(asciiWord, false)(0x17f), false);
});

test("propertySet knows categories and scripts", () => {
  assert.equal(propertySet("Lu", false)?.(0x41), true);
  assert.equal(propertySet("Lu", true)?.(0x61), true);
  assert.equal(propertySet("Greek", false)?.(0x3b1), true);
  assert.equal(propertySet("Yi", false)?.(0xa000), true);
  assert.equal(propertySet("Nothing", false), undefined);
  assert.equal(propertySet("Script=Greek", false), undefined);
});
