import assert from "node:assert/strict";
import { test } from "node:test";
import { commandSpan } from "./tool-span.ts";

test("a command that failed is an error with its exit code, one without a code is not", () => {
  const command = { traceId: "a".repeat(32), spanId: "b".repeat(16), command: null, startUs: 1, endUs: 2 };
  assert.deepEqual(commandSpan({ ...command, exitCode: 2 }, {}).status, { code: 2, message: "exit code 2" });
  assert.deepEqual(commandSpan({ ...command, exitCode: null }, {}).status, { code: 0 });
});
