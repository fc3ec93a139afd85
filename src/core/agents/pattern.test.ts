import assert from "node:assert/strict";
import { test } from "node:test";
import { expand, groupsIn, nativePattern, replaceFirst } from "./pattern.ts";

test("flags stand in front of a pattern", () => {
  assert.equal(nativePattern("(?i)^esc").test("Esc"), true);
  assert.equal(nativePattern("^esc").test("Esc"), false);
  assert.equal(nativePattern("(?im)^b$").test("a\nB"), true);
});

test("groups that capture are counted, not classes and escapes", () => {
  assert.deepEqual(["a", "(a)", "(?:a)(b)", String.raw`\(a\)`, "[(]a"].map(groupsIn), [0, 1, 1, 0, 0]);
});

test("a template takes the text of groups", () => {
  const match = nativePattern("^(a)?(b)").exec("b");
  assert.ok(match);
  assert.equal(expand("$ $1$2", match), "$ b");
});

test("the first match is replaced", () => {
  assert.equal(replaceFirst("one two", nativePattern("(o)n"), "$1"), "oe two");
  assert.equal(replaceFirst("one", nativePattern("x"), ""), "one");
});
