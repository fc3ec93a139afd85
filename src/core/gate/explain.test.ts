import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { explainCall } from "./explain.ts";
import { checkPolicyText } from "./policy-text.ts";

const context = { workingDirectory: "/project", home: "/users/me", labels: [] };

function explained(command: string, tool = "bash") {
  const checked = checkPolicyText(`version: 1
rules:
  - { id: look, effect: allow, command: [ls **, cat **] }
  - { id: no-rm, effect: deny, command: rm **, options: [-r] }
`);
  assert.ok(checked.ok);
  const call = { name: tool, arguments: { command } };
  return { ...explainCall(checked.policy, call, context), policy: checked.policy, call };
}

test("each part of a shell text has its verdict, with the rule that made it", () => {
  const { parts } = explained("ls; rm -r x > out; X=1 y; $(cat z); rm $o");
  assert.deepEqual(
    parts.map(({ effect, kind, rule, source, text, why }) => [effect, kind, text, source, rule?.id ?? null, why]),
    [
      ["allow", "command", "ls", "rule", "look", null],
      ["deny", "command", "rm -r x > out", "rule", "no-rm", null],
      ["ask", "redirect", "write out", "default", null, null],
      ["ask", "command", "X=1 y", "default", null, null],
      ["ask", "assignment", "sets X", "default", null, null],
      ["ask", "command", "$(cat z)", "default", null, null],
      ["ask", "opaque", "$(cat z)", "opaque", null, "the program is only known when it runs"],
      ["allow", "command", "cat z", "rule", "look", null],
      ["ask", "command", "rm $o", "opaque", "no-rm", null],
    ],
  );
});

test("the decision is the one of decide, also for a tool without a shell text", () => {
  for (const [command, tool] of [
    ["ls && rm -r x", "bash"],
    ["ls", "bash"],
    ["", "bash"],
    ["x", "Write"],
  ] as const) {
    const { call, decision, parts, policy } = explained(command, tool);
    const { verdicts, ...rest } = decide(policy, { ...call, finish: "tool_calls" }, context);
    assert.deepEqual(decision, rest);
    assert.equal(parts.length, verdicts.length);
  }
});

test("a command that no rule matches has the rule that was perhaps meant to", () => {
  const checked = checkPolicyText("version: 1\nrules: [{ id: look, effect: allow, command: [ls *, git log *] }]");
  assert.ok(checked.ok);
  const hints = (command: string) =>
    explainCall(checked.policy, { name: "bash", arguments: { command } }, context).parts.map(({ hint }) => hint);
  const hint = (source: string) =>
    `the rule "look" (line 2) has "${source}", where each "*" is exactly one word: "${source}*" has any number of them`;
  assert.deepEqual(hints("ls; ls -a src; ls src"), [hint("ls *"), hint("ls *"), null]);
  assert.deepEqual(hints("git log -1 x; git status"), [hint("git log *"), null]);
});
