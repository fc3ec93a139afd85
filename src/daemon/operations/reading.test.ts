import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { lastLines } from "./reading.ts";

const last = (text: string, count: number): string =>
  new TextDecoder().decode(lastLines(new TextEncoder().encode(text), count));

test("the last lines keep their line feeds", () => {
  assert.equal(last("a\nb\nc\n", 2), "b\nc\n");
  assert.equal(last("a\nb\nc", 2), "b\nc");
});

test("more lines than there are gives all, none gives nothing", () => {
  assert.equal(last("a\nb\n", 9), "a\nb\n");
  assert.equal(last("a\nb\n", 0), "");
  assert.equal(last("", 3), "");
});

test("empty lines are lines", () => {
  assert.equal(last("a\n\n\n", 2), "\n\n");
  assert.equal(last("\n", 1), "\n");
});

test("the last lines are those of a split at line feeds", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n"), maxLength: 20 });
  fc.assert(
    fc.property(text, fc.nat(8), (whole, count) => {
      const lines = whole.match(/[^\n]*\n|[^\n]+$/g) ?? [];
      assert.equal(last(whole, count), lines.slice(Math.max(0, lines.length - count)).join(""));
    }),
    { numRuns: 500 },
  );
});
