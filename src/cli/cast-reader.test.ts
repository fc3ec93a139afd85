import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CastReader } from "./cast-reader.ts";

const v3 =
  '{"version":3,"term":{"cols":100,"rows":30}}\n# note\n[0.5,"o","a"]\n[0.25,"r","80x24"]\n[0.25,"o","é"]\n[1,"x","0"]';
const v2 = '{"version":2,"width":100,"height":30}\n[0.5,"o","a"]\n[0.75,"i","x"]\n[1,"o","é"]\n';
const expected = [
  { timeMs: 500, text: "a" },
  { timeMs: 1000, text: "é" },
];

function read(...chunks: string[]) {
  const reader = new CastReader();
  const outputs = chunks.flatMap((chunk) => reader.feed(chunk)).concat(reader.end());
  return { header: reader.header, outputs };
}

test("versions 2 and 3 give the same outputs, with times from the beginning", () => {
  for (const cast of [v2, v3]) assert.deepEqual(read(cast), { header: { columns: 100, rows: 30 }, outputs: expected });
});

test("at every split of the text the same comes out", () => {
  fc.assert(
    fc.property(fc.nat(v3.length), (cut) => {
      assert.deepEqual(read(v3.slice(0, cut), v3.slice(cut)).outputs, expected);
    }),
  );
});

test("what is no recording is refused with the reason", () => {
  for (const [text, reason] of [
    ["", /empty/],
    ["hello\n", /no JSON/],
    ['{"version":1}\n', /version 2 or 3/],
    ["null\n", /version 2 or 3/],
    ['{"version":2}\n{}\n', /no list/],
    ['{"version":2}\n[-1,"o","a"]\n', /no time/],
  ] as const)
    assert.throws(() => read(text), { code: "INVALID_INPUT", message: reason }, text);
});
