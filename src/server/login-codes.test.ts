import assert from "node:assert/strict";
import { test } from "node:test";
import { LoginCodes } from "./login-codes.ts";

const admin = { scope: "admin", session: null } as const;

test("a code is good once, for ten minutes", () => {
  const codes = new LoginCodes();
  const { code, expiresInMs } = codes.create(admin, 0);
  assert.equal(expiresInMs, 600_000);
  assert.equal(codes.redeem("other", 1), undefined);
  assert.deepEqual(codes.redeem(code, 599_999), admin);
  assert.equal(codes.redeem(code, 599_999), undefined);
  const late = codes.create(admin, 0);
  assert.equal(codes.redeem(late.code, 600_000), undefined);
});

test("the oldest code ends when there are too many", () => {
  const codes = new LoginCodes();
  const made = Array.from({ length: 33 }, () => codes.create(admin, 0).code);
  assert.equal(new Set(made).size, 33);
  assert.equal(codes.redeem(made[0]!, 1), undefined);
  assert.deepEqual(codes.redeem(made[1]!, 1), admin);
});
