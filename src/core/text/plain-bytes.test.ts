import assert from "node:assert/strict";
import { test } from "node:test";
import { endOfReturns, isCopied } from "./plain-bytes.ts";

test("printable characters, line feeds and tabs are copied, and C1 controls are not", () => {
  const bytes = Buffer.from("a\n\t\r\u007fé\u0085\u00a0");
  const copied = Array.from(bytes.keys()).filter((index) => isCopied(bytes, index));
  assert.deepEqual(copied, [0, 1, 2, 5, 6, 8, 9, 10]);
});

test("carriage returns end at the first other byte", () => {
  const bytes = Buffer.from("a\r\r\nb\rc");
  assert.deepEqual([endOfReturns(bytes, 1), endOfReturns(bytes, 0), endOfReturns(bytes, 5)], [3, 0, 6]);
});
