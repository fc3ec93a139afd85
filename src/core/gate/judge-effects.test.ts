/** Rules that speak of effects, decided about redirections, tools and commands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, type Decision } from "./decide.ts";
import type { Policy } from "./policy.ts";
import { checkPolicyText } from "./policy-text.ts";

const context = { workingDirectory: "/project", home: "/users/me", labels: [] };

function policyOf(rules: string): Policy {
  const checked = checkPolicyText(`version: 1\nrules:\n${rules}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.policy;
}

const policy = policyOf(`
  - { id: look, effect: allow, does: [read, list], paths: { under: [., /tmp] } }
  - { id: edit, effect: allow, does: [write, delete], paths: { under: ., except: executed-later } }
  - { id: secrets, effect: deny, reason: Not for agents, does: [read, write], paths: { in: credentials } }
  - { id: walls, effect: ask, does: settings }
  - { id: named, effect: allow, command: foo ** }
`);

const call = (name: string, given: unknown, by = policy): Decision =>
  decide(by, { name, arguments: given, finish: "tool_calls" }, context);
const shell = (command: string, by = policy): Decision => call("Bash", { command }, by);
const brief = ({ effect, rule, source }: Decision): string => `${effect} ${rule?.id ?? source}`;

test("a redirection and a tool of an agent are judged by the same rule", () => {
  for (const [decision, expected] of [
    [shell("foo < a"), "allow named"],
    [shell("foo > src/a"), "allow named"],
    [shell("foo > .husky/pre-commit"), "ask default"],
    [shell("foo > ../a"), "ask default"],
    [shell("foo < .ENV"), "deny secrets"],
    [call("Read", { file_path: "/project/a" }), "allow look"],
    [call("Read", { file_path: "/tmp/a" }), "allow look"],
    [call("Read", { file_path: "/etc/passwd" }), "ask default"],
    [call("Write", { file_path: "a", path: "../b" }), "ask default"],
    [call("Write", { file_path: "id_rsa", content: "" }), "deny secrets"],
    [call("Grep", { pattern: "x" }), "allow look"],
    [call("Grep", { pattern: "x", path: "/users/me" }), "ask secrets"],
    [call("WebFetch", { url: "https://example.com" }), "ask default"],
    [call("unknown_tool", { path: "a" }), "ask default"],
  ] as const)
    assert.equal(brief(decision), expected, decision.evidence);
});

test("a reason names what is done and to what", () => {
  assert.equal(call("Read", { file_path: ".env" }).message, "Not for agents: Read reads .env, which holds credentials");
  assert.equal(shell("foo < .env").message, "Not for agents: reads .env, which holds credentials");
  assert.equal(
    call("Write", { file_path: ".git/config" }).message,
    "No rule allows this, and the default is ask: Write writes .git/config, which is executed later",
  );
  assert.match(shell("bar").message, /what it does is not known/);
});

test("each file of a patch must be allowed", () => {
  const patch = (...names: readonly string[]): string =>
    ["*** Begin Patch", ...names.flatMap((name) => [`*** Update File: ${name}`, "@@", "+x"]), "*** End Patch"].join(
      "\n",
    );
  assert.equal(brief(call("apply_patch", patch("a.ts", "src/b.ts"))), "allow edit");
  assert.equal(brief(call("apply_patch", patch("a.ts", "../b.ts"))), "ask default");
  assert.equal(brief(call("apply_patch", patch("a.ts", ".env"))), "deny secrets");
  assert.equal(brief(call("apply_patch", `${patch("a.ts")}\nx`)), "ask opaque");
});

test("an argument with which the agent leaves its sandbox is a part of the call only for policies that speak of effects", () => {
  const given = { command: "foo", dangerouslyDisableSandbox: true };
  assert.equal(brief(call("Bash", given)), "ask walls");
  assert.equal(
    brief(call("Bash", given, policyOf("  - { id: named, effect: allow, command: foo ** }"))),
    "allow named",
  );
});

test("a program that is not known is as strict as opaque for a rule about an effect that it may have", () => {
  const open = { ...policyOf("  - { id: net, effect: deny, does: network }\n"), default: "allow" } as const;
  assert.equal(brief(shell("bar x", open)), "ask net");
  const secrets = {
    ...policyOf("  - { id: s, effect: deny, does: read, paths: { in: credentials } }"),
    default: "allow",
  } as const;
  assert.equal(brief(shell("bar .env", secrets)), "ask s");
  assert.equal(brief(shell("bar src/a.ts", secrets)), "allow default");
});

test("a rule by name lets a program run, and leaves what its record knows to rules about effects", () => {
  const rules = `
  - { id: look, effect: allow, does: read, paths: { under: . } }
  - { id: tools, effect: allow, command: [xxd **, node **, git push **, rm -rf dist] }`;
  const byName = policyOf(rules);
  assert.equal(brief(shell("xxd in", byName)), "allow tools");
  assert.equal(brief(shell("xxd --new-option in", byName)), "allow tools");
  assert.equal(brief(shell("node build.js", byName)), "allow tools");
  assert.equal(
    shell("xxd in out", byName).message,
    "No rule allows this, and the default is ask: xxd in out writes out",
  );
  assert.equal(brief(shell("xxd ../in", byName)), "ask default");
  assert.equal(brief(shell("git push origin main", byName)), "ask default");
  assert.equal(brief(shell("rm -rf dist", byName)), "ask default");
  const byEffect = policyOf(`${rules}
  - { id: output, effect: allow, command: xxd **, paths: { under: . } }
  - { id: send, effect: allow, command: git push **, does: network }
  - { id: built, effect: allow, does: delete, paths: { under: ./dist } }`);
  assert.equal(brief(shell("xxd in out", byEffect)), "allow tools");
  assert.equal(brief(shell("xxd in ../out", byEffect)), "ask default");
  assert.equal(brief(shell("git push origin main", byEffect)), "allow tools");
  assert.equal(brief(shell("rm -rf dist dist/a", byEffect)), "allow built");
  assert.equal(brief(shell("rm -rf dist src", byEffect)), "ask default");
  const whole = policyOf(`${rules}\n  - { id: anything, effect: allow, tool: Bash }`);
  assert.equal(brief(shell("xxd in out", whole)), "allow tools");
});

test("a shared list is known to conditions without effects, too", () => {
  const old = policyOf(`
  - { id: copy, effect: allow, command: cp **, paths: { under: ., except: [credentials, executed-later] } }
  - { id: mine, effect: deny, arguments: [{ at: /file, in: credentials }] }`);
  assert.equal(brief(shell("cp a src/b", old)), "allow copy");
  assert.equal(brief(shell("cp a .npmrc", old)), "ask default");
  assert.equal(brief(shell("cp a .github/x", old)), "ask default");
  assert.equal(brief(shell("cp a *.key", old)), "ask default");
  assert.equal(brief(call("x", { file: "a/.env" }, old)), "deny mine");
  assert.equal(brief(call("x", { file: "a/b" }, old)), "ask default");
});

test("an unknown effect or list is an error with the nearest name, and so is a mixture that can match nothing", () => {
  const messages = (rule: string): readonly string[] => {
    const checked = checkPolicyText(`version: 1\nrules:\n  - ${rule}`);
    return checked.ok ? [] : checked.problems.map(({ message }) => message);
  };
  assert.deepEqual(messages("{ id: a, effect: allow, does: [raed] }"), ['Unknown effect "raed": did you mean "read"?']);
  assert.deepEqual(messages("{ id: a, effect: deny, does: read, paths: { in: credential } }"), [
    'Unknown list "credential": did you mean "credentials"?',
  ]);
  assert.deepEqual(messages("{ id: a, effect: allow, does: write, redirect: write }"), [
    'A rule with "does" has no "redirect": write "does: [read, write]" alone',
  ]);
  assert.deepEqual(messages("{ id: a, effect: allow, does: write, assigns: X }"), [
    'A rule with "does" has no "assigns": write two rules',
  ]);
});
