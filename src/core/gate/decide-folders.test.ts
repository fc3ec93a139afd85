/** Decisions about paths where the folder or the home of a command may be another one than the session's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, type Decision, type DecisionContext } from "./decide.ts";
import type { Policy } from "./policy.ts";
import { checkPolicyText } from "./policy-text.ts";

const context: DecisionContext = { workingDirectory: "/project", home: "/users/me", labels: ["dev"] };

function policyOf(text: string): Policy {
  const checked = checkPolicyText(`version: 1\n${text}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.policy;
}

const decideShell = (policy: Policy, command: string, changes: Partial<DecisionContext> = {}): Decision =>
  decide(policy, { name: "bash", arguments: { command }, finish: "tool_calls" }, { ...context, ...changes });

const inside = policyOf(`
default: allow
rules:
  - { id: outside, effect: deny, redirect: write, paths: { outside: . } }
  - { id: operands, effect: deny, command: [tee **, touch **], paths: { outside: . } }
`);

test("a folder that bash looks up elsewhere is not taken for one inside", () => {
  for (const text of [
    "CDPATH=/etc; cd init.d; echo x > f",
    "export CDPATH=/etc; cd init.d && echo x > f",
    "export CDPATH; CDPATH=/etc; cd init.d; echo x > f",
    "CDPATH=/etc cd init.d; echo x > f",
    "CDPATH+=:/etc; cd init.d; echo x > f",
    "read CDPATH <<< /etc; cd init.d; echo x > f",
    "printf -v CDPATH /etc; cd init.d; echo x > f",
    ": ${CDPATH:=/etc}; cd init.d; echo x > f",
    "for CDPATH in /etc; do :; done; cd init.d; echo x > f",
    "env CDPATH=/etc bash -c 'cd init.d; echo x > f'",
    "cd init.d; CDPATH=/etc; echo x > f",
    "f() { CDPATH=/etc; }; f; command cd init.d; echo x > f",
    "CDPATH=/etc; pushd init.d; echo x > f",
    "CDPATH=/etc; cd init.d; touch f",
    "etc=/etc; shopt -s cdable_vars; cd etc; echo x > f",
    "cd -; echo x > f",
    "OLDPWD=/etc; cd -; echo x > f",
    "popd; echo x > f",
    "pushd +1; echo x > f",
    "DIRSTACK[1]=/etc; cd ~1; echo x > f",
    "cd ~-; echo x > f",
    "echo x > ~-/f",
    "echo x > ~+/../f",
    "cd ~nobody; echo x > f",
    "env -C /etc sh -c 'echo x > f'",
    "sudo -D /etc touch f",
    "find /etc -maxdepth 1 -execdir touch f ';'",
  ])
    assert.notEqual(decideShell(inside, text).effect, "allow", text);
  for (const text of [
    "CDPATH=/etc; cd ./init.d; echo x > f",
    "CDPATH= cd init.d; echo x > f",
    "unset CDPATH; cd init.d; echo x > f",
    "cd init.d; echo x > f",
    "CDPATH=/etc; echo x > f",
  ])
    assert.equal(decideShell(inside, text).effect, "allow", text);
});

test("a changed HOME leaves open what a tilde means", () => {
  const policy = policyOf(
    "default: allow\nrules: [{ id: home, effect: deny, redirect: write, paths: { outside: ~/a } }]",
  );
  const changes = { workingDirectory: "/users/me/a" };
  for (const text of ["HOME=/etc; echo x > ~/a/f", "export HOME=/etc; cd ~/a; echo x > f"])
    assert.equal(decideShell(policy, text, changes).effect, "ask", text);
  assert.equal(decideShell(policy, "echo x > ~/a/f", changes).effect, "allow");
});

test("a folder changed by a text that may run more than once is not known", () => {
  const policy = policyOf(
    "default: allow\nrules: [{ id: out, effect: deny, redirect: write, paths: { outside: /project } }]",
  );
  const changes = { workingDirectory: "/project/a/b" };
  for (const text of [
    "for i in 1 2 3; do eval 'cd ..'; done; echo x > f",
    "f() { eval 'cd ..'; }; f; f; f; echo x > f",
    "trap 'cd ..' DEBUG; :; :; :; echo x > f",
  ])
    assert.equal(decideShell(policy, text, changes).effect, "ask", text);
  assert.equal(decideShell(policy, "eval 'cd ..'; echo x > f", changes).effect, "allow");
});
