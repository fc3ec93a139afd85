import assert from "node:assert/strict";
import { test } from "node:test";
import { allOf, anyOf, certain, negate } from "./certainty.ts";

test("allOf is as certain as its least certain part, and false as soon as one is", () => {
  assert.equal(allOf([]), "yes");
  assert.equal(allOf(["yes", "yes"]), "yes");
  assert.equal(allOf(["yes", "maybe"]), "maybe");
  assert.equal(allOf(["maybe", "no"]), "no");
});

test("anyOf is true as soon as one is, and false only where all are", () => {
  assert.equal(anyOf([]), "no");
  assert.equal(anyOf(["no", "no"]), "no");
  assert.equal(anyOf(["no", "maybe"]), "maybe");
  assert.equal(anyOf(["maybe", "yes"]), "yes");
});

test("what may match may also not match", () => {
  assert.deepEqual([negate("yes"), negate("no"), negate("maybe")], ["no", "yes", "maybe"]);
  assert.deepEqual([certain(true), certain(false)], ["yes", "no"]);
});
