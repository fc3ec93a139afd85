import assert from "node:assert/strict";
import { test } from "node:test";
import { TextKernel } from "./text-kernel.ts";

/** What the kernel makes of `input`, with `|` where it stopped. */
function copied(input: string): string {
  const kernel = TextKernel.create();
  assert.ok(kernel);
  const bytes = new TextEncoder().encode(input);
  kernel.load(bytes);
  const { read, written } = kernel.copy(0, bytes.length, 0);
  const text = new TextDecoder().decode(kernel.output.subarray(0, written));
  return text + (read === bytes.length ? "" : `|${new TextDecoder().decode(bytes.subarray(read))}`);
}

test("TextKernel copies text and leaves out colours, modes and CR before LF", () => {
  assert.equal(
    copied("plain text, longer than one block of sixteen\n\tbytes"),
    "plain text, longer than one block of sixteen\n\tbytes",
  );
  assert.equal(copied("a\r\n\u001B[1;31mb\u001B[m\u001B[?25l\u001B[2 q\r\r\nc\u001B[K"), "a\nb\nc");
  assert.equal(copied("żółw £ ©\u001B[0m 日本 😀\u001B[0m!"), "żółw £ © 日本 😀!");
});

test("TextKernel leaves CR before LF out wherever it stands, also several times in sixteen bytes", () => {
  for (let length = 0; length < 70; length++) {
    const letters = "x".repeat(length);
    assert.equal(copied(`${letters}\r\n${letters}\r\n`), `${letters}\n${letters}\n`);
    assert.equal(copied(`${letters}\r\n\r\na\r\n\tbc\r\n`), `${letters}\n\na\n\tbc\n`);
    assert.equal(copied(`${letters}ż\r\nab\r\n`), `${letters}ż\nab\n`);
    assert.equal(copied(`ab\r\n${letters}\rc`), `ab\n${letters}|\rc`);
  }
});

test("TextKernel stops at whatever the sanitizer must read itself", () => {
  for (const rest of [
    "\r50%",
    "\b",
    "\u0007",
    "\u007F",
    "\u009B1m",
    "\u001B]0;t\u0007",
    "\u001B7",
    "\u001B[2K",
    "\u001B[3C",
    "\u001B[1",
  ]) {
    assert.equal(copied(`text${rest}`), `text|${rest}`);
  }
});

test("TextKernel stops where it would join the halves of a letter", () => {
  const kernel = TextKernel.create();
  assert.ok(kernel);
  const bytes = Uint8Array.of(0xe2, 0x1b, 0x5b, 0x6d, 0x82, 0xac);
  kernel.load(bytes);
  assert.deepEqual(kernel.input(bytes.length), bytes);
  assert.deepEqual(kernel.copy(0, bytes.length, 0), { read: 1, written: 1 });
});

test("TextKernel counts the plain ASCII bytes at the start of its input", () => {
  const kernel = TextKernel.create();
  assert.ok(kernel);
  for (const length of [0, 1, 15, 16, 17, 63, 64, 65, 1_000]) {
    const plain = "a line\n\t".repeat(200).slice(0, length);
    kernel.load(new TextEncoder().encode(plain));
    assert.equal(kernel.plainLength(), length);
    for (const stop of ["\r", "\u001B", "\u007F", "é", "\u0000"]) {
      kernel.load(new TextEncoder().encode(`${plain}${stop}more`));
      assert.equal(kernel.plainLength(), length);
    }
  }
});
