import assert from "node:assert/strict";
import { test } from "node:test";
import { maskSecrets } from "./mask-secrets.ts";

test("known forms of credentials are masked, and the words around them stay", () => {
  const cases: readonly (readonly [string, string])[] = [
    [`key ${["sk", "ant", "0123456789abcdef"].join("-")} here`, "key [secret] here"],
    ["ghp_0123456789abcdefghij0123", "[secret]"],
    ["AKIAABCDEFGHIJKLMNOP", "[secret]"],
    ["Authorization: Bearer abcdefgh.1234", "Authorization: Bearer [secret]"],
    ['{"api_key": "hunter22"}', '{"api_key": "[secret]"}'],
    ["PASSWORD=hunter22 make", "PASSWORD=[secret] make"],
    ["git clone https://me:hunter22@box/x", "git clone https://me:[secret]@box/x"],
    ["-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n.", "[secret]\n."],
  ];
  for (const [text, masked] of cases) assert.equal(maskSecrets(text), masked);
});

test("plain text stays as it is", () => {
  for (const text of ["", "ls -la src/token.ts", "a task-list of 12 tokens", "see https://box:8080/path"])
    assert.equal(maskSecrets(text), text);
});
