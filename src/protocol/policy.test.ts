import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../core/gate/decide.ts";
import { checkPolicyText } from "../core/gate/policy-text.ts";
import { decisionSchema, policyProblemSchema } from "./policy.ts";

test("a decision and the problems of a policy go over the wire as they are", () => {
  const checked = checkPolicyText("version: 1\nrules: [{ id: no-rm, effect: deny, command: rm ** }]");
  assert.ok(checked.ok);
  const call = { name: "bash", arguments: { command: "ls; rm -r dist" }, finish: "tool_calls" } as const;
  const decision = decide(checked.policy, call, { labels: [], workingDirectory: "/project", home: null });
  assert.deepEqual(decisionSchema.parse(decision), decision);
  const broken = checkPolicyText("version: 1\nrulse: []");
  assert.ok(!broken.ok);
  assert.deepEqual(policyProblemSchema.array().parse(broken.problems), broken.problems);
});
