import assert from "node:assert/strict";
import { test } from "node:test";
import { SequenceSkipper, endsInString } from "./sequence-skipper.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function characters(text: string): string {
  const skipper = new SequenceSkipper();
  return new TextDecoder().decode(bytes(text).filter((byte) => !skipper.skips(byte)));
}

test("SequenceSkipper leaves characters, blanks and line ends", () => {
  assert.equal(characters("a\u001B[1;31mb\u001B]0;title\u0007c\u001BPq\u001B\\d\u001B(Be\u001B7f"), "abcdef");
  assert.equal(characters("a \t\r\nb"), "a \t\r\nb");
  assert.equal(characters("a\u001B]0;t\u001B[1mb\u001B\u001B[mc"), "abc");
  assert.equal(characters("a\u001B[1é\u00A0\u001BPq\u0007\u001B\\b"), "aé\u00A0b");
});

test("SequenceSkipper forgets on reset", () => {
  const skipper = new SequenceSkipper();
  assert.equal(skipper.skips(0x1b), true);
  skipper.reset();
  assert.equal(skipper.skips(0x5b), false);
});

test("endsInString is true within a title and false behind it", () => {
  for (const text of ["x\u001B]0;title", "\u009D0;title", "\u001B[m\u001BPq\u0007y"])
    assert.equal(endsInString(bytes(text)), true, text);
  for (const text of [
    "x\u001BPq\u0018y",
    "x\u001B]0;t\u0007y",
    "x\u001B]0;t\u001B\\y",
    "\u009D0;t\u009Cy",
    "x\u001B[1m",
    "é",
  ])
    assert.equal(endsInString(bytes(text)), false, text);
});
