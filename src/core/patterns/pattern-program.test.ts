import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePattern } from "./pattern-parser.ts";
import { programOf } from "./pattern-program.ts";

test("programOf writes repetitions out and loops without a limit", () => {
  assert.equal(programOf(parsePattern("a{3}")).steps.length, 4);
  assert.equal(programOf(parsePattern("a{1,3}")).steps.length, 6);
  assert.equal(programOf(parsePattern("a*")).steps.length, 3);
});

test("programOf refuses a program that is too large", () => {
  assert.throws(() => programOf(parsePattern(`(${"a".repeat(100)}){500}`)), /too large/);
});
