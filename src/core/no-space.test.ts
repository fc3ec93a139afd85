import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "./errors.ts";
import { isNoSpace } from "./no-space.ts";

const withCode = (code: string): Error => Object.assign(new Error(code), { code });

test("a full disk is known by the code of the system, by that of SQLite, and through errors that wrap it", () => {
  const wrapped = new LecternError("JOURNAL_WRITE_FAILED", "Cannot append", { cause: withCode("ENOSPC") });
  const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  for (const error of [withCode("ENOSPC"), withCode("EDQUOT"), full, wrapped]) assert.equal(isNoSpace(error), true);
});

test("other errors, and what is not an error, are not a full disk", () => {
  for (const error of [withCode("EACCES"), new Error("ENOSPC"), { code: "ENOSPC" }, undefined]) {
    assert.equal(isNoSpace(error), false);
  }
});
