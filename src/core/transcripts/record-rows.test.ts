import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordRows } from "./record-rows.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const rowsOf = (text: string): unknown[] => new RecordRows().read(bytes(text));
const DAMAGED = "row is not valid JSON";

test("a row is complete with its line feed, and nothing else ends it", () => {
  assert.deepEqual(rowsOf('{"a":1}\n{"b":"\u2028\u0085"}\n\n{"c":'), [{ a: 1 }, { b: "\u2028\u0085" }]);
});

test("a damaged row is skipped, and the next one is read", () => {
  assert.deepEqual(rowsOf('{"a":1}\n{"b":tr\n{"c":3}\n'), [{ a: 1 }, DAMAGED, { c: 3 }]);
  assert.deepEqual(rowsOf('{"a":"raw\nline feed"}\n{"c":3}\n'), [DAMAGED, DAMAGED, { c: 3 }]);
  assert.deepEqual(rowsOf('[1]\nnull\n"x"\n{"c":3}\n'), [DAMAGED, DAMAGED, DAMAGED, { c: 3 }]);
});

test("rows on one line are read apart", () => {
  assert.deepEqual(rowsOf('{"a":"}{"}{"b":{"c":"\\""}} {"d":1}\n'), [{ a: "}{" }, { b: { c: '"' } }, { d: 1 }]);
});

test("a row after one that was cut is read", () => {
  assert.deepEqual(rowsOf('{"a":1,"b":"tr{"c":{"d":1}}\n'), [{ c: { d: 1 } }, DAMAGED]);
  assert.deepEqual(rowsOf('{"a":1,"b":{"x":1}{"c":3}\n{"d":4}\n').at(-1), { d: 4 });
});

test("NULs at the end of a line are not a damage", () => {
  assert.deepEqual(rowsOf('{"a":1}\0\0\0\n\0\0\n{"b":2}\n'), [{ a: 1 }, { b: 2 }]);
});

test("a row of more than 16 MiB is skipped", () => {
  const rows = new RecordRows();
  const block = bytes("x".repeat(1024 * 1024));
  assert.deepEqual(rows.read(bytes('{"a":1}\n{"b":"')), [{ a: 1 }]);
  for (let count = 0; count < 17; count++) assert.deepEqual(rows.read(block), []);
  assert.deepEqual(rows.read(bytes('"}\n{"c":3}\n')), ["row is longer than 16 MiB", { c: 3 }]);
});
