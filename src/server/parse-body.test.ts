import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseBody } from "./parse-body.ts";

const parse = (text: string): unknown => parseBody(Buffer.from(text));

/** Whether no key of it would be refused. */
function plain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([key, inner]) => JSON.stringify(key) === `"${key}"` && key !== "__proto__" && plain(inner),
  );
}

test("a body means what its JSON says", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }).filter(plain), (value) => {
      // Through text once more, because -0 has no JSON.
      const text = JSON.stringify(value);
      assert.deepEqual(parse(text), JSON.parse(text));
    }),
  );
  assert.deepEqual(parse('{"a":"\\"}{[:","b" :\n[1]}'), { a: '"}{[:', b: [1] });
  assert.deepEqual(parse(""), {});
});

test("a body of more keys than any input has is refused before it is parsed", () => {
  const object = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])));
  assert.equal(Object.keys(parse(object(8192)) as object).length, 8192);
  assert.throws(() => parse(object(8193)), { code: "INVALID_INPUT", message: /more than 8192 keys$/ });
  assert.throws(() => parse(`[${'{"a":1},'.repeat(8193)}`), { code: "INVALID_INPUT" });
});

test("keys that JSON.parse of this engine may confuse are refused, in any order", () => {
  // nodejs/node#63785: the second of these can come back with the key of the first.
  assert.throws(() => parse('{"k\\\\":1}'), { code: "INVALID_INPUT" });
  assert.throws(() => parse('{"k\\"":1}'), { code: "INVALID_INPUT" });
  assert.throws(() => parse('{"a":[{"b\\u0063" : 1}]}'), { code: "INVALID_INPUT" });
});

test("a deep body is refused without recursion", () => {
  for (const open of ["[", '{"a":']) assert.throws(() => parse(open.repeat(100_000)), { code: "INVALID_INPUT" });
  assert.doesNotThrow(() => parse(`${"[".repeat(64)}${"]".repeat(64)}`));
});

test("what is no JSON in UTF-8 is malformed", () => {
  for (const text of ["{", '{"a":1,}', "'a'", '{"a":"\n"}', "\ufeff{}", "NaN", '"abc', '"abc\\"']) {
    assert.throws(() => parse(text), { code: "MALFORMED" }, text);
  }
  assert.throws(() => parseBody(Uint8Array.of(0x22, 0xc3, 0x28, 0x22)), { code: "MALFORMED" });
});
