import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePattern } from "./patterns.ts";

const matches = (source: string, text: string): boolean => {
  const result = compilePattern(source);
  assert.ok(result.ok, source);
  return result.pattern.test(text);
};

test("a pattern matches anywhere unless it is anchored", () => {
  assert.equal(matches("b+", "abbc"), true);
  assert.equal(matches("^b+$", "abbc"), false);
  assert.equal(matches("^[\\u00e9\\w]+$", "été"), true);
});

test("the end anchor does not match before a last newline", () => {
  assert.equal(matches("^a$", "a\n"), false);
});

test("a pattern that explodes in a backtracking engine ends at once", () => {
  assert.equal(matches("^(a+)+$", `${"a".repeat(30_000)}b`), false);
  assert.equal(matches("^(a|a)*$", `${"a".repeat(30_000)}b`), false);
});

test("what RE2 does not have is refused with the reason", () => {
  for (const source of [
    "(?!x)",
    "(?=x)",
    "(a)\\1",
    "(",
    "a{1001}",
    "((a{100}){100}){100}",
    "(".repeat(400) + "[" + ")".repeat(400),
  ]) {
    const result = compilePattern(source);
    assert.equal(result.ok, false, source);
  }
});

test("a pattern over the length limit is refused", () => {
  const result = compilePattern("a".repeat(1_001));
  assert.deepEqual(result, { ok: false, message: "Cannot use a pattern of 1001 characters: the limit is 1000" });
});
