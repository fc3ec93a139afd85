import assert from "node:assert/strict";
import { test } from "node:test";
import { firstCommand } from "./first-command.ts";

const at = (text: string): number => firstCommand(new TextEncoder().encode(text));

test("a command begins at ESC ], whatever is before it; other brackets are not looked at", () => {
  assert.equal(at("[1] a]\u001B[31mb]c\u001B]0;t\u0007\u001B[0m"), 14);
  assert.equal(at("\u001BPdevice\u001B]0;t\u0007"), 8);
  assert.equal(at("]\u001B]0;t"), 1);
});

test("without a command the last sequence is read, which the chunk may cut, or an incomplete code point", () => {
  assert.equal(at("\u001B[31mred\u001B[0mtext"), 8);
  assert.equal(at("text"), 4);
  assert.equal(firstCommand(Uint8Array.of(0x61, 0xe2, 0x82)), 1);
});

test("a chunk with a C1 control is read as a whole, one with other characters of its lead byte is not", () => {
  assert.equal(at("a\u009D0;t\u0007\u001B[m"), 0);
  assert.equal(at("20 \u00B0C \u001B[m"), 7);
});

test("controls between ESC and ] are no part of the sequence, and those that end one are", () => {
  assert.equal(at("a\u001B\u0007\u007F\n]0;t\u001B\\"), 1);
  assert.equal(at("a\u001B\u0018]0;t\u001B\\"), 7);
});
