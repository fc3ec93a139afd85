import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";

test("a test that times out ends what it started, and the run ends with a failure", async () => {
  const support = resolve(import.meta.dirname, "support");
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const words = ["--test", `--import=${support}/time-limit.ts`, "--test-timeout=500", `${support}/unfinished.ts`];
  // Without a limit of its own a run that stands still would outlive this test.
  const child = spawn(process.execPath, words, { env: environment, timeout: 120_000 });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  assert.equal(code, 1, output + errors);
  assert.match(output + errors, /Ended what 1 unfinished test had started/);
});
