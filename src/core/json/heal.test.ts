import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { heal } from "./heal.ts";
import { parseJson } from "./parse-json.ts";

/** A truncated text, what it is healed to, and what the result names as cut or dropped. */
const cases: readonly (readonly [text: string, json: string, named: string | null])[] = [
  ['{"command":"ls -l', '{"command":"ls -l"}', "cut /command"],
  ['{"command":"', '{"command":""}', "cut /command"],
  ['{"a":"x","b":["y","z', '{"a":"x","b":["y","z"]}', "cut /b/1"],
  ['"abc', '"abc"', "cut "],
  [String.raw`{"a":"x\\`, String.raw`{"a":"x\\"}`, "cut /a"],
  [String.raw`{"a":"x\n\\\"y`, String.raw`{"a":"x\n\\\"y"}`, "cut /a"],
  ['{"a":"x\\', '{"a":"x"}', "cut /a"],
  [String.raw`{"a":"x\u`, '{"a":"x"}', "cut /a"],
  [String.raw`{"a":"x\u00e`, '{"a":"x"}', "cut /a"],
  [String.raw`{"a":"x\ud83d`, '{"a":"x"}', "cut /a"],
  [String.raw`{"a":"x\ud83d\ude`, '{"a":"x"}', "cut /a"],
  [String.raw`{"a":"x\ud83d\n`, String.raw`{"a":"x\ud83d\n"}`, "cut /a"],
  ['{"a":"x\ud83d', '{"a":"x"}', "cut /a"],
  ['{"a":"1, 2: {3', '{"a":"1, 2: {3"}', "cut /a"],
  ['{"a":1', "{}", "number /a"],
  ['{"a":1 ', '{"a":1}', null],
  ['{"a":1,', '{"a":1}', null],
  ['{"a":-', "{}", "number /a"],
  ["[1,2.5e", "[1]", "number /1"],
  ["[1,20", "[1]", "number /1"],
  ['{"a":tru', "{}", "literal /a"],
  ['{"a":true', '{"a":true}', null],
  ["[null,fals", "[null]", "literal /1"],
  ['{"a":1,"b', '{"a":1}', "key "],
  ['{"o":{"a":1,"b', '{"o":{"a":1}}', "key /o"],
  ['{"a":1,"b"', '{"a":1}', "missing-value /b"],
  ['{"a":1,"b":', '{"a":1}', "missing-value /b"],
  ['{"a":1,"b": ', '{"a":1}', "missing-value /b"],
  ["{", "{}", null],
  ['{"a":[{', '{"a":[{}]}', null],
  ["[[1],[", "[[1],[]]", null],
  ["[1,", "[1]", null],
];

for (const [text, json, named] of cases) {
  test(`heal ${JSON.stringify(text)}`, () => {
    const result = heal(text);
    assert.ok(result.ok);
    assert.equal(result.json, json);
    assert.equal(result.complete, false);
    const cut = result.partialString === null ? null : `cut ${result.partialString}`;
    const dropped = result.dropped === null ? null : `${result.dropped.kind} ${result.dropped.path}`;
    assert.equal(cut ?? dropped, named);
    assert.deepEqual(result.value, JSON.parse(json));
  });
}

test("heal leaves whole JSON as it is, a number alone too", () => {
  for (const text of ["{}", ' {"a":"b"} ', "12", "-0.5", "null", '"x"']) {
    const result = heal(text);
    assert.ok(result.ok && result.complete);
    assert.equal(result.json, text);
  }
});

function reasonOf(text: string): string | null {
  const result = heal(text);
  return result.ok ? null : result.reason;
}

test("heal refuses what is no beginning of JSON", () => {
  assert.equal(reasonOf(""), "empty");
  assert.equal(reasonOf("-"), "empty");
  assert.equal(reasonOf("tr"), "empty");
  assert.equal(reasonOf('{"a":01'), "invalid");
  assert.equal(reasonOf('{"a":1.e'), "invalid");
  assert.equal(reasonOf("<html>"), "invalid");
  assert.equal(reasonOf("{'a':1}"), "invalid");
  assert.equal(reasonOf('{"a":1}{"a":1}'), "trailing");
  assert.equal(reasonOf("[".repeat(200_000)), "depth");
});

test("heal keeps a number at the end where the caller knows that it is whole", () => {
  const result = heal('{"a":50', { numberIsWhole: true });
  assert.ok(result.ok);
  assert.equal(result.json, '{"a":50}');
  assert.deepEqual(result.value, { a: 50 });
});

test("heal invents nothing, at any cut of any value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }), fc.boolean(), (value, pretty) => {
      const text = JSON.stringify(value, null, pretty ? 1 : 0);
      for (let cut = 1; cut < text.length; cut += 1) {
        const prefix = text.slice(0, cut);
        const result = heal(prefix);
        if (!result.ok) {
          assert.equal(result.reason, "empty", prefix);
          continue;
        }
        let kept = 0;
        while (kept < result.json.length && result.json[kept] === prefix[kept]) kept += 1;
        assert.match(result.json.slice(kept), /^"?[\]}]*$/, prefix);
        assert.ok(result.json.isWellFormed());
        assert.deepEqual(parseJson(result.json), result.value);
        assert.ok(result.partialString === null || result.dropped === null);
      }
    }),
    { numRuns: 100 },
  );
});

test("heal refuses a text that is invalid in its middle, whatever follows and wherever it is cut", () => {
  // No JSON text has it: not in a string, and not between tokens.
  const control = "\u0001";
  const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 });
  fc.assert(
    fc.property(values, fc.nat(), (value, place) => {
      const text = JSON.stringify(value);
      const at = 1 + (place % (text.length - 1));
      const broken = text.slice(0, at) + control + text.slice(at);
      for (let end = at + 1; end <= broken.length; end += 1) {
        assert.deepEqual(heal(broken.slice(0, end)), { ok: false, reason: "invalid", at }, broken.slice(0, end));
      }
    }),
    { numRuns: 200 },
  );
});
