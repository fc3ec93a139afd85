import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError, errorTable } from "../core/errors.ts";
import { fromProblem, toLecternError, toProblem } from "./errors.ts";

test("an error comes back from its problem document as it was", () => {
  const error = new LecternError("NAME_TAKEN", 'Name "a" is taken', { details: { name: "a" } });
  const back = fromProblem(JSON.parse(JSON.stringify(toProblem(error))), 409);
  assert.deepEqual([back.code, back.message, back.details], [error.code, error.message, error.details]);
});

test("every code has a status of an error and an exit code that is not success", () => {
  for (const [code, row] of Object.entries(errorTable)) {
    assert.ok(row.status >= 400 && row.status < 600, code);
    assert.ok(row.exitCode >= 1 && row.exitCode <= 255, code);
  }
});

test("errors of one kind have one exit code", () => {
  const kinds = {
    2: ["INVALID_INPUT", "MALFORMED", "OFFSET_BEYOND_END", "USAGE", "WORKING_DIRECTORY_NOT_FOUND"],
    3: ["MACHINE_NOT_FOUND", "NOT_FOUND", "SESSION_NOT_FOUND"],
    4: ["ADDRESS_IN_USE", "ALREADY_RUNNING", "CONFLICT", "NAME_TAKEN", "SESSION_ENDED", "SESSION_RUNNING"],
    5: ["BIND_REFUSED", "FORBIDDEN", "MISDIRECTED", "UNAUTHENTICATED", "UNSAFE_PERMISSIONS"],
    6: ["DAEMON_UNREACHABLE", "DRAINING", "HOST_UNREACHABLE", "MACHINE_AWAY", "VERSION_MISMATCH"],
    7: ["LIMIT_EXCEEDED", "TOO_LARGE"],
  } as const;
  for (const [code, names] of Object.entries(kinds))
    for (const name of names) assert.equal(errorTable[name].exitCode, Number(code), name);
});

test("a document of somebody else becomes an internal error that names the status", () => {
  assert.equal(fromProblem("<html>", 502).code, "INTERNAL");
  assert.match(fromProblem(null, 502).message, /502/);
  assert.equal(fromProblem({ code: "__proto__", detail: "x" }, 500).code, "INTERNAL");
});

test("what is not one of our errors becomes an internal one that keeps its cause", () => {
  const cause = new TypeError("boom");
  const error = toLecternError(cause);
  assert.equal(error.code, "INTERNAL");
  assert.equal(error.cause, cause);
});
