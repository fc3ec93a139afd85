import assert from "node:assert/strict";
import { test } from "node:test";
import { exitCodeOf, hasFailed } from "./exit-code.ts";

test("exit codes are those of a shell", () => {
  assert.equal(exitCodeOf({ reason: "exited", code: 3, signal: null }), 3);
  assert.equal(exitCodeOf({ reason: "signaled", code: null, signal: "SIGKILL" }), 137);
  assert.equal(exitCodeOf({ reason: "lost", code: null, signal: null }), 1);
});

test("a program has failed if it ended by itself and badly", () => {
  assert.ok(hasFailed({ reason: "exited", code: 3, signal: null }));
  assert.ok(hasFailed({ reason: "signaled", code: null, signal: "SIGSEGV" }));
  assert.ok(!hasFailed({ reason: "exited", code: 0, signal: null }));
  assert.ok(!hasFailed({ reason: "exited", code: 130, signal: null, endedBy: "keyboard" }));
  assert.ok(!hasFailed({ reason: "signaled", code: null, signal: "SIGHUP", endedBy: "request" }));
  assert.ok(!hasFailed({ reason: "lost", code: null, signal: null }));
});
