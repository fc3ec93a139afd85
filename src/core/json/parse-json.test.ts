import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../errors.ts";
import { heal } from "./heal.ts";
import { JsonReader } from "./json-reader.ts";
import { parseJson } from "./parse-json.ts";

const keysOf = (value: unknown): string => Object.keys(value as object).join(" ");

/** nodejs/node#63785: after the first text was parsed, JSON.parse of some engines gives the second one the first's key. */
const confusable: readonly (readonly [poison: string, canary: string, keys: string])[] = [
  [String.raw`{"k\\":1}`, String.raw`{"k\"":1}`, 'k"'],
  [String.raw`{"a\\":1,"b\\":2}`, String.raw`{"a\n":1,"b\t":2}`, "a\n b\t"],
  [String.raw`{"path\\":"x"}`, String.raw`{"path\u0041":"x"}`, "pathA"],
];

for (const [poison, canary, keys] of confusable) {
  test(`every public way to parse keeps the keys of ${canary}, before and after ${poison}`, () => {
    const ways: readonly ((text: string) => unknown)[] = [
      (text) => parseJson(text),
      (text) => {
        const result = heal(text);
        return result.ok && result.value;
      },
      (text) => {
        const reader = new JsonReader();
        for (const unit of text) reader.feed(unit);
        return reader.value;
      },
    ];
    const poisonKeys = keysOf(ways[1]?.(poison));
    for (const order of [
      [poison, canary],
      [canary, poison],
    ]) {
      for (const text of order) JSON.parse(text);
      for (const way of ways) {
        for (const text of order) assert.equal(keysOf(way(text)), text === canary ? keys : poisonKeys);
      }
    }
  });
}

test("parseJson finds an escaped key wherever it stands", () => {
  assert.deepEqual(parseJson(String.raw`{"a":"x\ny","b":[{"\u0063" : 1}]}`), { a: "x\ny", b: [{ c: 1 }] });
  assert.deepEqual(parseJson(String.raw`{"a":"\\","b\"c\\"  :"\"" }`), { a: "\\", 'b"c\\': '"' });
});

test("parseJson finds an escaped key in a long text too", () => {
  const filler = Array.from({ length: 400 }, () => 'x\\"');
  const poison = JSON.stringify({ filler, "k\\": 1 });
  const canary = JSON.stringify({ filler, 'k"': 1 });
  for (const text of [poison, canary, poison]) JSON.parse(text);
  assert.equal(keysOf(parseJson(canary)), 'filler k"');
  assert.equal(keysOf(parseJson(poison)), "filler k\\");
  assert.deepEqual(errorOf(`${canary.slice(0, -1)},"open`), ["MALFORMED", "incomplete", canary.length + 5]);
});

test("parseJson takes what JSON.parse takes", () => {
  for (const text of ["1", " [1, 2] ", '{"a":{"b":"\\u00e9"}}', '{"__proto__":1}', "null", '"x"']) {
    assert.deepEqual(parseJson(text), JSON.parse(text));
  }
});

function errorOf(text: string, limits = {}): unknown {
  try {
    return parseJson(text, limits);
  } catch (error) {
    assert.ok(error instanceof LecternError);
    return [error.code, error.details["reason"], error.details["at"]];
  }
}

test("parseJson names reason and offset", () => {
  assert.deepEqual(errorOf("{]"), ["MALFORMED", "invalid", 1]);
  assert.deepEqual(errorOf("[1] 2"), ["MALFORMED", "trailing", 4]);
  assert.deepEqual(errorOf('{"a":"\\'), ["MALFORMED", "incomplete", 7]);
  assert.deepEqual(errorOf(""), ["MALFORMED", "empty", 0]);
  assert.deepEqual(errorOf("\\"), ["MALFORMED", "invalid", 0]);
});

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

test("parseJson limits depth and size", () => {
  assert.ok(Array.isArray(parseJson(nested(512))));
  assert.deepEqual(errorOf(nested(513)), ["TOO_LARGE", "depth", 512]);
  assert.deepEqual(errorOf("[".repeat(200_000)), ["TOO_LARGE", "depth", 512]);
  assert.deepEqual(errorOf('{"a":{"b":"[[[\\"[["}}', { depthMax: 2 }), { a: { b: '[[["[[' } });
  assert.deepEqual(errorOf('{"a":{"b":{}}}', { depthMax: 2 }), ["TOO_LARGE", "depth", 10]);
  assert.deepEqual(errorOf('"123456789"', { textCharsMax: 10 }), ["TOO_LARGE", "size", 10]);
});

test("parseJson is linear in the number of strings", () => {
  // A second of work for this text if each string were searched to the end of the text.
  const text = JSON.stringify(Array.from({ length: 300_000 }, (_, index) => `a${index}\n\\`));
  assert.equal((parseJson(text) as unknown[]).length, 300_000);
});
