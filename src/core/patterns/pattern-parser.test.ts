import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePattern } from "./pattern-parser.ts";

test("parsePattern names what it does not take", () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ["(?=a)", /invalid or unsupported Perl syntax: \(\?=a/],
    ["(?<!a)", /unsupported Perl syntax/],
    ["(a", /missing closing \)/],
    ["a)", /unexpected \)/],
    ["*a", /missing argument to repetition operator: \*/],
    ["a**", /invalid nested repetition operator: \*\*/],
    ["a{2,1}", /invalid repeat count/],
    ["(a{100}){100}", /invalid repeat count/],
    ["(?<n>a)(?<n>b)", /duplicate capture group name: n/],
    ["(?)", /unsupported Perl syntax/],
  ];
  for (const [source, reason] of refused) assert.throws(() => parsePattern(source), reason, source);
});

test("parsePattern keeps flags to their group", () => {
  const node = parsePattern("(?i:a)b");
  assert.ok(node.type === "all");
  assert.deepEqual(
    node.parts.map((part) => part.type === "char" && [part.set(0x41), part.set(0x42)]),
    [
      [true, false],
      [false, false],
    ],
  );
});
