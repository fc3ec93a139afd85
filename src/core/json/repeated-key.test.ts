import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { repeatedKey } from "./repeated-key.ts";

test("repeatedKey finds a key that one object has twice, at any depth and however it is escaped", () => {
  assert.equal(repeatedKey('{"a":1,"a":2}'), "a");
  assert.equal(repeatedKey('[{"x":[{"b":{},"c":1,"b":[]}]}]'), "b");
  assert.equal(repeatedKey('{"tool_calls":1,"tool\\u005fcalls":2}'), "tool_calls");
  assert.equal(repeatedKey('{"a\\"":1,"b":{"c":1}, "a\\"" : 2}'), 'a"');
});

test("repeatedKey takes the same key of other objects, and texts that look like keys, for what they are", () => {
  for (const text of [
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
    '["a","a"]',
    '{"a":"\\"b\\":1,\\"b\\":2","b":"a"}',
    '""',
    "1",
  ]) {
    assert.equal(repeatedKey(text), undefined, text);
  }
  fc.assert(fc.property(fc.json(), (text) => repeatedKey(JSON.stringify(JSON.parse(text))) === undefined));
});

test("repeatedKey with the value finds what it finds without it", () => {
  const texts = [
    '{"a":1,"a":2}',
    '{"a":{"b":1,"c":2},"a":{}}',
    '{"a":[{"b":":"}],"b":{"c":1,"c":":::"}}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":1,"\\u0061":2}',
    '{"a:b":":","c":1}',
    '{"__proto__":{"a":1}}',
  ];
  for (const text of texts) assert.equal(repeatedKey(text, JSON.parse(text)), repeatedKey(text), text);
  const key = fc.constantFrom("a", "b:", "__proto__");
  const { object } = fc.letrec((tie) => ({
    object: fc
      .array(fc.tuple(key, tie("value")), { maxLength: 4 })
      .map((pairs) => `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${String(value)}`).join(",")}}`),
    value: fc.oneof(fc.constantFrom("1", '":"', "[]"), tie("object")),
  }));
  fc.assert(
    fc.property(object, (value) => {
      const text = value;
      assert.equal(repeatedKey(text, JSON.parse(text)), repeatedKey(text));
    }),
  );
});
