import assert from "node:assert/strict";
import { test } from "node:test";
import { isReady, type ReadyReason } from "./readiness.ts";

test("isReady is false for what ends a wait without the program being ready", () => {
  const ready: ReadyReason[] = ["mark", "foreground", "marker", "quiet"];
  const not: ReadyReason[] = ["timeout", "exit", "limit"];
  for (const reason of ready) assert.ok(isReady({ reason, asks: null }), reason);
  for (const reason of not) assert.equal(isReady({ reason, asks: null }), false, reason);
});
