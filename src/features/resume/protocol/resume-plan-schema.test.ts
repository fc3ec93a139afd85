import assert from "node:assert/strict";
import { test } from "node:test";
import { resumePlanSchema } from "./resume-plan-schema.ts";

test("a plan names what would be run, or why nothing would be", () => {
  const base = { session: "s1", name: "claude", agent: "claude", state: "lost", endedAt: null, candidates: [] };
  const resumed = { ...base, action: "resume", conversation: "x", command: ["claude", "--resume", "x"], reason: null };
  assert.ok(resumePlanSchema.safeParse(resumed).success);
  assert.ok(!resumePlanSchema.safeParse({ ...resumed, action: "continue" }).success);
});
