import assert from "node:assert/strict";
import { test } from "node:test";
import { toolSpan } from "./tool-span.ts";

test("a command that failed is an error with its exit code, one without a code is not", () => {
  const place = { traceId: "a".repeat(32), conversation: {} };
  const open = { ...place, tool: "shell", startUs: 1, effect: null, decidedBy: null, argumentsText: null };
  const statusOf = (exitCode: number | null) =>
    toolSpan(open, { timeUs: 2, error: null, result: null, exitCode }, { call: null, spanId: "b".repeat(16) }).status;
  assert.deepEqual(statusOf(2), { code: 2, message: "exit code 2" });
  assert.deepEqual(statusOf(null), { code: 0 });
});
