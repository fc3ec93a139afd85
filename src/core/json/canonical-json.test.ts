import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "./canonical-json.ts";

test("canonicalJson sorts keys at every level and writes no white space", () => {
  assert.equal(canonicalJson({ b: [{ d: 1, c: 2 }], a: "x" }), '{"a":"x","b":[{"c":2,"d":1}]}');
});

test("canonicalJson writes numbers and strings as RFC 8785 wants them", () => {
  assert.equal(
    canonicalJson([-0, 1e21, 0.000001, 1e-7, '\u20ac\n\u000f"']),
    '[0,1e+21,0.000001,1e-7,"€\\n\\u000f\\""]',
  );
  assert.equal(
    canonicalJson({ "\u20ac": 1, "\r": 2, "1": 3, "\ud83d\ude00": 4, "\ufb33": 5 }),
    '{"\\r":2,"1":3,"€":1,"😀":4,"\ufb33":5}',
  );
});

test("canonicalJson keeps an own key named __proto__", () => {
  assert.equal(canonicalJson(JSON.parse('{"__proto__":1}')), '{"__proto__":1}');
});

test("canonicalJson refuses what JSON cannot say", () => {
  for (const value of [undefined, Number.NaN, Infinity, () => 1, { a: undefined }, 1n]) {
    assert.throws(() => canonicalJson(value), TypeError);
  }
});

test("canonicalJson refuses a value deeper than its limit", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 2_000; level += 1) deep = [deep];
  assert.throws(() => canonicalJson(deep), RangeError);
});

test("canonicalJson does not depend on the order of keys", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).toReversed());
      assert.equal(canonicalJson(reversed), canonicalJson(value));
    }),
  );
});
