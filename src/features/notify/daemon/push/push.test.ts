import assert from "node:assert/strict";
import { createECDH } from "node:crypto";
import { test } from "node:test";
import { encryptPush, PUSH_TEXT_BYTES_MAX } from "./push.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

test("encryptPush gives the message of RFC 8291, section 5 and appendix A", () => {
  const keys = {
    p256dh: bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
    auth: bytes("BTBZMqHH6r4Tts7J_aSIgg"),
  };
  const random = {
    salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"),
    privateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
  };
  assert.equal(
    encryptPush(Buffer.from("When I grow up, I want to be a watermelon"), keys, random).toString("base64url"),
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("encryptPush fills at most 4096 bytes, never the same twice, and refuses more", () => {
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const keys = { p256dh: browser.getPublicKey(), auth: Buffer.alloc(16, 7) };
  const longest = Buffer.alloc(PUSH_TEXT_BYTES_MAX, "x");
  assert.equal(encryptPush(longest, keys).length, 4096);
  assert.notDeepEqual(encryptPush(longest, keys), encryptPush(longest, keys));
  assert.throws(() => encryptPush(Buffer.alloc(PUSH_TEXT_BYTES_MAX + 1), keys), RangeError);
  assert.throws(() => encryptPush(longest, { ...keys, p256dh: Buffer.alloc(65, 4) }));
});
