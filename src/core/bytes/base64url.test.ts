import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";

test("encodeBase64Url is that of Buffer, and decodeBase64Url reads it back", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = encodeBase64Url(bytes);
      assert.equal(text, Buffer.from(bytes).toString("base64url"));
      assert.deepEqual(decodeBase64Url(text), bytes);
    }),
  );
});

test("decodeBase64Url refuses padding, foreign characters, bits to spare and impossible lengths", () => {
  for (const text of ["QQ==", "Q+/A", "Q Q", "QR", "Q"]) assert.equal(decodeBase64Url(text), undefined, text);
});
