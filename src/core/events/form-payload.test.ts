import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readForm, writeForm } from "./form-payload.ts";

test("readForm reads what a model writes", () => {
  assert.deepEqual(readForm("files=3&summary=All+tests+pass.&ok=true&rate=0.5&none=null"), {
    files: 3,
    summary: "All tests pass.",
    ok: true,
    rate: 0.5,
    none: null,
  });
  assert.deepEqual(readForm("path=src%2Fa.ts&list=%5B1%2C2%5D&exit%5Fcode=0"), {
    path: "src/a.ts",
    list: [1, 2],
    exit_code: 0,
  });
  assert.deepEqual(readForm("exit_code=0", { isExact: true }), { exit_code: 0 });
  assert.equal(readForm(""), null);
  assert.equal(readForm("All+done"), "All done");
});

test("readForm does not make a number of what is not written as one", () => {
  assert.deepEqual(readForm("version=1.10&id=007&hash=1e5&big=12345678901234567890"), {
    version: "1.10",
    id: "007",
    hash: "1e5",
    big: "12345678901234567890",
  });
});

test("readForm refuses what is not a form, and what Markdown may have changed", () => {
  for (const text of ["a&b", "a=1&a=2", "=1", "a=1&b", "a=1=2", "a=%zz", "a=%ff", "a=_x_", "a_b=1"])
    assert.equal(readForm(text), undefined, text);
});

test("writeForm is read as the same value, without characters that Markdown changes", () => {
  const value = fc.dictionary(fc.string({ minLength: 1, unit: "grapheme" }), fc.jsonValue(), { maxKeys: 5 });
  fc.assert(
    fc.property(value, (given) => {
      const plain = JSON.parse(JSON.stringify(given)) as unknown;
      const form = writeForm(plain);
      assert.match(form, /^[A-Za-z0-9.%+=&-]*$/);
      assert.deepEqual(readForm(form), plain);
    }),
  );
});
