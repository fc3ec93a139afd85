import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicyText } from "./policy-text.ts";

test("a policy text in YAML judges shell commands", () => {
  const checked = checkPolicyText("version: 1\ndefault: allow\nrules: [{ id: no-rm, effect: deny, command: rm ** }]");
  assert.ok(checked.ok);
  const call = { name: "bash", arguments: { command: "ls; rm x" }, finish: "stop" } as const;
  const decision = decide(checked.policy, call, { workingDirectory: "/project", home: null, labels: [] });
  assert.deepEqual([decision.effect, decision.rule?.line], ["deny", 3]);
});
