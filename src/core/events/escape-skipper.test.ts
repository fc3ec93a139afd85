import assert from "node:assert/strict";
import { test } from "node:test";
import { EscapeSkipper, endsInControlString } from "./escape-skipper.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function characters(text: string): string {
  const skipper = new EscapeSkipper();
  return String.fromCharCode(...bytes(text).filter((byte) => !skipper.skips(byte)));
}

test("EscapeSkipper leaves characters, blanks and line ends", () => {
  assert.equal(characters("a\u001B[1;31mb\u001B]0;title\u0007c\u001BPq\u001B\\d\u001B(Be\u001B7f"), "abcdef");
  assert.equal(characters("a \t\r\nb"), "a \t\r\nb");
  assert.equal(characters("a\u001B]0;t\u001B[1mb\u001B\u001B[mc"), "abc");
});

test("EscapeSkipper forgets on reset", () => {
  const skipper = new EscapeSkipper();
  assert.equal(skipper.skips(0x1b), true);
  skipper.reset();
  assert.equal(skipper.skips(0x5b), false);
});

test("endsInControlString is true within a title and false behind it", () => {
  assert.equal(endsInControlString(bytes("x\u001B]0;title")), true);
  assert.equal(endsInControlString(bytes("x\u001BPq\u0018y")), false);
  assert.equal(endsInControlString(bytes("x\u001B]0;title\u0007y")), false);
  assert.equal(endsInControlString(bytes("x\u001B]0;title\u001B\\y")), false);
  assert.equal(endsInControlString(bytes("x\u001B[1m")), false);
});
