import assert from "node:assert/strict";
import { test } from "node:test";
import { progressText } from "./prompt-progress.ts";

test("progress is why a prompt waits, and then what the session does", () => {
  const status = { state: "working", summary: "Working\n(12s)" } as const;
  assert.equal(
    progressText({ state: "accepted", reason: "waits until it is at its prompt" }, status),
    "accepted: waits until it is at its prompt",
  );
  assert.equal(progressText({ state: "echoed", reason: null }, status), "echoed");
  assert.equal(progressText({ state: "working", reason: null }, status), "working  Working ⏎ (12s)");
  assert.equal(progressText({ state: "working", reason: null }, null), "working");
});
