import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, inflateSync } from "node:zlib";
import { encodePng } from "./png.ts";

test("a picture is a signature and three chunks whose sums are right, with its rows behind their filters", () => {
  const pixels = Uint8Array.from({ length: 2 * 3 * 4 }, (_, index) => index * 10);
  const png = Buffer.from(encodePng(pixels, { width: 2, height: 3 }));
  assert.equal(png.subarray(0, 8).toString("latin1"), "\u0089PNG\r\n\u001a\n");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const data = png.subarray(at + 8, at + 8 + length);
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(png.subarray(at + 4, at + 8 + length)));
    chunks.set(png.toString("latin1", at + 4, at + 8), data);
    at += length + 12;
  }
  assert.deepEqual([...chunks.keys()], ["IHDR", "IDAT", "IEND"]);
  assert.deepEqual([...(chunks.get("IHDR") ?? [])], [0, 0, 0, 2, 0, 0, 0, 3, 8, 6, 0, 0, 0]);
  const lines = inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0));
  assert.deepEqual(
    [0, 1, 2].map((row) => [...lines.subarray(row * 9, row * 9 + 9)]),
    [0, 1, 2].map((row) => [0, ...pixels.subarray(row * 8, row * 8 + 8)]),
  );
});
