import assert from "node:assert/strict";
import { test } from "node:test";
import { labelsSchema, nameSchema, sideSchema } from "./names.ts";

test("a name is what a path, a shell and a file name can hold as it is", () => {
  for (const good of ["a", "build-2", "A.b_c", "x".repeat(64)]) assert.ok(nameSchema.safeParse(good).success, good);
  for (const bad of ["", "-x", ".x", "a b", "a/b", "../etc", "a\0", "a\n", "é", "x".repeat(65)])
    assert.ok(!nameSchema.safeParse(bad).success, JSON.stringify(bad));
});

test("a side of the terminal is a whole number from 1 to 1,000", () => {
  for (const good of [1, 80, 1000]) assert.ok(sideSchema.safeParse(good).success);
  for (const bad of [0, -1, 1.5, Number.NaN, 1e9, "80"]) assert.ok(!sideSchema.safeParse(bad).success, String(bad));
});

test("labels are bounded in number and length", () => {
  assert.ok(labelsSchema.safeParse({ project: "a b" }).success);
  assert.ok(!labelsSchema.safeParse({ project: "x".repeat(257) }).success);
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, "v"]));
  assert.ok(!labelsSchema.safeParse(many).success);
});
