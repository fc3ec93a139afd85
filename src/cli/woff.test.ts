import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { unpackWoff } from "./woff.ts";

const packed = readFileSync(
  fileURLToPath(import.meta.resolve("@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff")),
);

/** The sum of a table as the format counts it: 32-bit words, the last one filled up with zeros. */
function sumOf(table: Buffer): number {
  const words = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
  let sum = 0;
  for (let at = 0; at < words.length; at += 4) sum = (sum + words.readUInt32BE(at)) >>> 0;
  return sum;
}

test("each table of an unpacked font has the checksum that stands in the directory, on a boundary of four bytes", () => {
  const font = unpackWoff(packed);
  const names: string[] = [];
  for (let entry = 12; entry < 12 + 16 * font.readUInt16BE(4); entry += 16) {
    const name = font.toString("latin1", entry, entry + 4);
    const [sum, offset, length] = [4, 8, 12].map((place) => font.readUInt32BE(entry + place)) as [
      number,
      number,
      number,
    ];
    const table = Buffer.from(font.subarray(offset, offset + length));
    assert.equal(table.length, length);
    assert.equal(offset % 4, 0);
    // In "head" stands a sum over the whole file, which counts as zero here.
    if (name === "head") table.writeUInt32BE(0, 8);
    assert.equal(sumOf(table), sum, name);
    names.push(name);
  }
  for (const name of ["cmap", "glyf", "head", "hmtx", "loca"]) assert.ok(names.includes(name), name);
});

test("what is no packed font is refused", () => {
  assert.throws(() => unpackWoff(Buffer.from("nonsense".repeat(10))), RangeError);
});
