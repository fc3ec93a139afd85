import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { PatternMatcher } from "./pattern-matcher.ts";
import { parsePattern } from "./pattern-parser.ts";

/** `LECTERN_FUZZ_RUNS` for more. */
const runs = Number(process.env["LECTERN_FUZZ_RUNS"] ?? 1_000);
/** The same runs each time, unless more are asked for. */
const seed = process.env["LECTERN_FUZZ_RUNS"] === undefined ? { seed: 15 } : {};

const matches = (source: string, text: string): boolean => new PatternMatcher(parsePattern(source)).test(text);

test("PatternMatcher sees the character before the place at which it begins", () => {
  assert.equal(matches(String.raw`\bvalue\b`, "a value"), true);
  assert.equal(matches(String.raw`\bvalue\b`, "avalue value_"), false);
  assert.equal(matches(String.raw`\bvalue\b`, "avalue value"), true);
  assert.equal(matches("(?m)^value$", "a value\nvalue"), true);
  assert.equal(matches("^value", "a value\nvalue"), false);
});

test("PatternMatcher demands required texts in their order and without overlap", () => {
  assert.equal(matches("ab.*ba", "ab ba"), true);
  assert.equal(matches("ab.*ba", "ba ab"), false);
  assert.equal(matches("aba.*aba", "ababa"), false);
});

test("PatternMatcher ends soon where a backtracking engine does not", () => {
  assert.equal(matches("^(a+)+$", `${"a".repeat(30_000)}b`), false);
  assert.equal(matches("(x*)*y", "x".repeat(50_000)), false);
  assert.equal(matches("(a|aa)+(b|bb)+c", `${"a".repeat(5_000)}${"b".repeat(5_000)}`), false);
});

test("PatternMatcher drops states and goes on", () => {
  // Which of the last 12 letters were an `a`: thousands of states.
  const text = Array.from({ length: 20_000 }, (_, index) => ((index * index * 7) % 11 < 5 ? "a" : "b")).join("");
  assert.equal(matches("a[ab]{12}c", text), false);
  assert.equal(matches("a[ab]{12}c", `${text}aaaaaaaaaaaaac`), true);
});

test("PatternMatcher takes a pair of surrogates for one character and a half for itself", () => {
  assert.equal(matches("^.$", "\u{1F600}"), true);
  assert.equal(matches("\\ude00", "\u{1F600}"), false);
  assert.equal(matches("\\ude00", "a\uDE00"), true);
});

/** Pieces of patterns, by white space. */
const pieces =
  String.raw`a b ab é k K s ſ 1 _ \n 😀 . ^ $ * + ? {2} {1,2} {0,} {,2} { } | ( (?: (?i) (?i: (?s) (?m) (?-i) (?m: )
  [ab] [^a] [a-k] [ ] [^ - [] [^] \d \D \w \W \s \b \B \A \z \pL \p{Lu} \P{Lu} \p{^Lu} \p{Greek} [[:alpha:]] [[:^digit:]x] \x41
  \u{62} \u0061 \cJ \07 \12 \1 \. \- \_ \Qa.b\E \Q \E \ (?<n> (?P<m> abc foo (?U) / \/ λ Σ ς \é \Z \8`.split(/\s+/);
const words = "a b ab abc A B k K \u212A s S ſ 1 _ 😀 é É foo - Σ ς σ λ \uD83D \uDE00 . x \u0007 a.b { } ]".split(" ");
const piece = fc.constantFrom(...pieces, " ", "\n");
const word = fc.constantFrom(...words, " ", "\n");
const joined = (parts: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(parts, { maxLength }).map((texts) => texts.join(""));

function ours(source: string): PatternMatcher | undefined {
  try {
    return new PatternMatcher(parsePattern(source));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function peer(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch {
    return undefined;
  }
}

test("PatternMatcher takes the patterns that re2js takes, and matches as it does", () => {
  fc.assert(
    fc.property(joined(piece, 8), fc.array(joined(word, 10), { minLength: 5, maxLength: 5 }), (source, texts) => {
      const [own, other] = [ours(source), peer(source)];
      assert.equal(own === undefined, other === undefined, source);
      // Twice: the second time the states are there.
      for (const text of [...texts, ...texts]) {
        assert.equal(own?.test(text), other?.test(text), JSON.stringify([source, text]));
      }
    }),
    { numRuns: runs, ...seed },
  );
});
