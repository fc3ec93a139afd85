import assert from "node:assert/strict";
import { test } from "node:test";
import { patterns } from "./re2.ts";

const matches = (source: string, text: string): boolean => patterns(source).test(text);

test("a pattern matches anywhere unless it is anchored", () => {
  assert.equal(matches("b+", "abbc"), true);
  assert.equal(matches("^b+$", "abbc"), false);
  assert.equal(matches("^[\\u00e9\\w]+$", "été"), true);
});

test("the end anchor does not match before a last newline", () => {
  assert.equal(matches("^a$", "a\n"), false);
  assert.equal(matches("(?m)^value$", "a value\nvalue"), true);
  assert.equal(matches("^value", "a value\nvalue"), false);
});

test("a pattern that explodes in a backtracking engine ends soon", () => {
  assert.equal(matches("^(a+)+$", `${"a".repeat(30_000)}b`), false);
  assert.equal(matches("^(a|a)*$", `${"a".repeat(30_000)}b`), false);
  assert.equal(matches("(x*)*y", "x".repeat(50_000)), false);
  assert.equal(matches("(a|aa)+(b|bb)+c", `${"a".repeat(5_000)}${"b".repeat(5_000)}`), false);
});

test("a pattern with thousands of states finds its match", () => {
  const text = Array.from({ length: 20_000 }, (_, index) => ((index * index * 7) % 11 < 5 ? "a" : "b")).join("");
  assert.equal(matches("a[ab]{12}c", text), false);
  assert.equal(matches("a[ab]{12}c", `${text}aaaaaaaaaaaaac`), true);
});

test("a pair of surrogates is one character, and a half is itself", () => {
  assert.equal(matches("^.$", "\u{1F600}"), true);
  assert.equal(matches("\\ude00", "\u{1F600}"), false);
  assert.equal(matches("\\ude00", "a\uDE00"), true);
});

test("what RE2 does not have is refused with the reason", () => {
  const nested = "(".repeat(400) + "[" + ")".repeat(400);
  for (const source of ["(?!x)", "(?=x)", "(a)\\1", "(", "a{1001}", "((a{100}){100}){100}", nested])
    assert.throws(() => patterns(source), /^Error: Cannot use the pattern ".*": .* \(RE2: no lookaround/, source);
});

test("a pattern over the length limit is refused", () => {
  assert.throws(() => patterns("a".repeat(1001)), {
    message: "Cannot use a pattern of 1001 characters: the limit is 1000",
  });
});

test("repetitions side by side that are a large program are refused, and one of the greatest count is not", () => {
  assert.equal(matches("^.{1000}$", "a".repeat(1000)), true);
  assert.throws(() => patterns(".{1000}".repeat(20)), /it is too large, \d+ steps; the limit is 10000$/);
});
