import assert from "node:assert/strict";
import { test } from "node:test";
import { dropsLine, KernelLine } from "./kernel-line.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const a = (count: number): string => "a".repeat(count);

test("KernelLine keeps 4,094 bytes and the end of a line, and all lines that are not longer", () => {
  const line = new KernelLine();
  assert.equal(line.fits(bytes(`${a(4094)}\n`)), 4095);
  assert.equal(line.fits(bytes(`${a(4095)}\n`)), 4094);
  assert.equal(line.fits(bytes(`${a(4094)}\r${a(4094)}\n`)), 8190);
  assert.equal(line.fits(bytes(`${a(10)}\n${a(5000)}`)), 11 + 4094);
});

test("KernelLine counts a line that comes in parts, until it ends or is dropped", () => {
  const line = new KernelLine();
  line.wrote(bytes(a(3000)), { isCanonical: true });
  line.wrote(bytes(a(1000)), { isCanonical: true });
  assert.equal(line.fits(bytes(a(200))), 94);
  assert.equal(line.fits(bytes(`\u0015${a(200)}`)), 201);
  line.wrote(bytes(`b\nccc`), { isCanonical: true });
  assert.equal(line.fits(bytes(a(5000))), 4091);
});

test("KernelLine has nothing open behind bytes that were written to a program that takes keys", () => {
  const line = new KernelLine();
  line.wrote(bytes(a(4000)), { isCanonical: true });
  line.wrote(bytes("k"), { isCanonical: false });
  assert.equal(line.fits(bytes(a(4000))), 4000);
});

test("dropsLine names the keys with which a line is given up, and not those that enter it", () => {
  const dropping = [..."\u0003\u0004\u0015\r\na"].filter((key) => dropsLine(key.codePointAt(0)));
  assert.deepEqual(dropping, ["\u0003", "\u0015"]);
});
