import assert from "node:assert/strict";
import { test } from "node:test";
import { exitCodeOf } from "./exit-code.ts";

test("exit codes are those of a shell", () => {
  assert.equal(exitCodeOf({ reason: "exited", code: 3, signal: null }), 3);
  assert.equal(exitCodeOf({ reason: "signaled", code: null, signal: "SIGKILL" }), 137);
  assert.equal(exitCodeOf({ reason: "lost", code: null, signal: null }), 1);
});
