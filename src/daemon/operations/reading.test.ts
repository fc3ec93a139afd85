import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { runsOf } from "../../../test/support/searches.ts";
import { lastLines } from "./reading.ts";

test("the last lines keep their line feeds", () => {
  assert.equal(lastLines("a\nb\nc\n", 2), "b\nc\n");
  assert.equal(lastLines("a\nb\nc", 2), "b\nc");
});

test("more lines than there are gives all, none gives nothing", () => {
  assert.equal(lastLines("a\nb\n", 9), "a\nb\n");
  assert.equal(lastLines("a\nb\n", 0), "");
  assert.equal(lastLines("", 3), "");
});

test("empty lines are lines", () => {
  assert.equal(lastLines("a\n\n\n", 2), "\n\n");
  assert.equal(lastLines("\n", 1), "\n");
});

test("the last lines are those of a split at line feeds", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n"), maxLength: 20 });
  fc.assert(
    fc.property(text, fc.nat(8), (whole, count) => {
      const lines = whole.match(/[^\n]*\n|[^\n]+$/g) ?? [];
      assert.equal(lastLines(whole, count), lines.slice(Math.max(0, lines.length - count)).join(""));
    }),
    { numRuns: runsOf(500) },
  );
});
