import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePattern } from "./pattern-parser.ts";
import { requiredTexts } from "./pattern-tree.ts";

test("requiredTexts finds what every match contains", () => {
  const cases: readonly (readonly [string, readonly string[], boolean])[] = [
    ["secret3-[a-z]+", ["secret3-"], true],
    ["^abc", ["abc"], true],
    [String.raw`\bfoo\b.*bar`, ["foo", "bar"], true],
    ["[ab]foo(bar)", ["foobar"], false],
    ["x*abc", ["abc"], false],
    ["(ab)+c", ["ab", "c"], true],
    ["a?b|c", [], false],
    ["(?i)abc", [], false],
    ["a(b|c)d", ["a", "d"], true],
  ];
  for (const [source, texts, isPrefix] of cases) {
    assert.deepEqual(requiredTexts(parsePattern(source)), { texts, isPrefix }, source);
  }
});
