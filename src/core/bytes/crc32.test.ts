import assert from "node:assert/strict";
import { test } from "node:test";
import * as zlib from "node:zlib";
import fc from "fast-check";
import { crc32 } from "./crc32.ts";

test("crc32 gives the check value of the standard", () => {
  assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926);
});

test("crc32 is that of zlib", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.equal(crc32(bytes), zlib.crc32(bytes))));
});
