import assert from "node:assert/strict";
import { test } from "node:test";
import { AppendKeys } from "./append-keys.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);

test("a key is found with the place of its input", () => {
  const keys = new AppendKeys();
  assert.equal(keys.find("a", bytes("ls\r")), undefined);
  keys.remember("a", bytes("ls\r"), { offset: 10, next: 13 });
  assert.deepEqual(keys.find("a", bytes("ls\r")), { offset: 10, next: 13, already: true });
});

test("a key that comes back with other bytes is a conflict", () => {
  const keys = new AppendKeys();
  keys.remember("a", bytes("ls\r"), { offset: 10, next: 13 });
  assert.throws(() => keys.find("a", bytes("rm\r")), { code: "CONFLICT" });
});

test("the last 10,000 keys are remembered", () => {
  const keys = new AppendKeys();
  for (let index = 0; index <= 10_000; index++)
    keys.remember(`${index}`, bytes("x"), { offset: index, next: index + 1 });
  assert.equal(keys.find("0", bytes("x")), undefined);
  assert.equal(keys.find("1", bytes("x"))?.offset, 1);
  assert.equal(keys.find("10000", bytes("x"))?.offset, 10_000);
});
