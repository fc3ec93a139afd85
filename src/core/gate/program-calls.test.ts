import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicyText } from "./policy-text.ts";

const program = 'await tools.exec_command({ cmd: "rm -rf src" })';

function effectOf(policyText: string, given: unknown): string {
  const checked = checkPolicyText(`version: 1\n${policyText}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  const call = { name: "exec", arguments: given, finish: "tool_calls" } as const;
  const { effect, rule, source } = decide(checked.policy, call, { workingDirectory: "/w", home: "/h", labels: [] });
  return `${effect} ${rule?.id ?? source}`;
}

test("a program that calls other tools is opaque: rules neither allow it nor see what it calls", () => {
  const denyList = 'default: allow\nrules: [{ id: no-rm, effect: deny, command: "rm **" }]';
  assert.equal(effectOf(denyList, program), "ask opaque");
  assert.equal(effectOf(`opaque: deny\n${denyList}`, program), "deny opaque");
  assert.equal(effectOf("rules: [{ id: all, effect: allow, tool: exec }]", program), "ask opaque");
  assert.equal(effectOf("opaque: allow\ndefault: allow", program), "allow opaque");
  assert.equal(effectOf("rules: [{ id: none, effect: deny, tool: exec }]", program), "deny none");
});

test("a tool of that name with arguments is a tool like others, and an entry of the policy reads it as a shell", () => {
  assert.equal(effectOf("default: allow", { command: "ls" }), "allow default");
  const own = 'tools: [{ tool: exec, shell: "" }]\nrules: [{ id: list, effect: allow, command: ls }]';
  assert.equal(effectOf(own, "ls"), "allow list");
});
