import assert from "node:assert/strict";
import { test } from "node:test";
import { plainByteOf, readEncodedKey } from "./encoded-key.ts";

const brief = (text: string): unknown => {
  const key = readEncodedKey(text);
  return key && [key.code, key.modifiers, key.text, key.isRelease, plainByteOf(key)];
};

test("keys of the kitty protocol and of xterm", () => {
  assert.deepEqual(brief("\u001B[99;5u"), [99, 4, null, false, "\u0003"]);
  assert.deepEqual(brief("\u001B[27;5;99~"), [99, 4, null, false, "\u0003"]);
  assert.deepEqual(brief("\u001B[27u"), [27, 0, null, false, "\u001B"]);
  assert.deepEqual(brief("\u001B[13;2u"), [13, 1, null, false, null]);
  assert.deepEqual(brief("\u001B[97:65;2u"), [97, 1, "A", false, null]);
  assert.deepEqual(brief("\u001B[97;;229u"), [97, 0, "å", false, null]);
  assert.deepEqual(brief("\u001B[97;65u"), [97, 0, "a", false, null]);
  assert.deepEqual(brief("\u001B[99;5:3u"), [99, 4, null, true, "\u0003"]);
  assert.deepEqual(brief("\u001B[57428u"), [57_428, 0, null, false, null]);
  assert.deepEqual(brief("\u001B[9999999;1u"), [9_999_999, 0, null, false, null]);
});

test("other sequences are no such keys", () => {
  for (const text of ["\u001B[?1u", "\u001B[A", "\u001B[27;5~", "\u001B[u", "\u001B[>1u", "a", ""])
    assert.equal(readEncodedKey(text), null, JSON.stringify(text));
});
