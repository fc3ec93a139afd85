import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicyText } from "./policy-text.ts";
import type { Policy } from "./policy.ts";
import { besideText } from "./shell-calls.ts";
import { callDirectory } from "./working-directory.ts";
const context = { workingDirectory: "/project", home: "/users/me", labels: [] };

function policyOf(text: string): Policy {
  const checked = checkPolicyText(`version: 1\n${text}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.policy;
}

const shell = (policy: Policy, command: string): string => {
  const decision = decide(policy, { name: "bash", arguments: { command }, finish: "stop" }, context);
  return `${decision.effect} ${decision.rule?.id ?? decision.source}`;
};

const beside = (value: unknown): readonly string[] =>
  besideText(callDirectory(value, { shell: ["command"], directories: [], timeoutMs: null })).map((action) =>
    action.type === "opaque" ? `?${action.reason} ${action.text}` : `${action.type} ${action.text}`,
  );

test("a shell that is not bash, and variables that steer, are actions of the call", () => {
  assert.deepEqual(beside({ command: "ls", shell: "zsh" }), ["?launcher shell: zsh"]);
  assert.deepEqual(beside({ command: "ls", shell: "/usr/bin/bash" }), []);
  assert.deepEqual(beside({ env: { PATH: "x", a: "b" }, environment: ["PS4=$(x)", "B"] }), [
    "assignment PATH=x",
    "assignment PS4=$(x)",
    "?expansion PS4=$(x)",
    "assignment B=",
  ]);
});

test("variables and shells are found under every name and in every form", () => {
  for (const key of ["env", "env_vars", "environmentVariables", "extraEnv", "variables", "options/env"]) {
    const value = { LD_PRELOAD: "/x.so" };
    const call = key === "options/env" ? { options: { env: value } } : { [key]: value };
    assert.deepEqual(beside({ command: "ls", ...call }), ["assignment LD_PRELOAD=/x.so"], key);
  }
  assert.deepEqual(beside({ env: "A=1 PATH=/tmp/x" }), ["assignment A=", "assignment PATH="]);
  assert.deepEqual(beside({ env: [{ name: "LD_PRELOAD", value: "x" }] }), ["assignment LD_PRELOAD="]);
  for (const key of ["shellPath", "shell_path", "executable", "interpreter"])
    assert.deepEqual(beside({ command: "ls", [key]: "/tmp/x" }), [`?launcher ${key}: /tmp/x`]);
});

test("a second text that could be the command is opaque", () => {
  for (const key of ["cmd", "script", "shell_script", "code", "Command"])
    assert.deepEqual(beside({ command: "ls", [key]: "rm" }), [`?second-text ${key}: rm`]);
  assert.deepEqual(beside({ command: "ls", commands: ["rm"], args: [] }), ["?second-text commands/0: rm"]);
  assert.deepEqual(beside({ command: "ls", cmd: "", code: 0, inventory: "x", mode: "y" }), []);
});

test("an argument that looks like a working directory is named", () => {
  const others = [{ path: "/options/cwd", value: "/etc" }];
  assert.deepEqual(
    besideText({ named: undefined, others, texts: [], isOpen: true }).map((action) => action.text),
    ["options/cwd: /etc", "Too many arguments"],
  );
});

test("a call without its shell text, with another shell or with variables is not read as if it had none", () => {
  const denying = policyOf("default: allow\nrules: [{ id: no-rm, effect: deny, command: rm ** }]");
  const by = (value: unknown): string =>
    decide(denying, { name: "bash", arguments: value, finish: "stop" }, context).effect;
  assert.equal(by({ cmd: "rm x" }), "ask");
  assert.equal(by({ command: "ls", shell: "/tmp/x" }), "ask");
  assert.equal(by({ command: "ls", shell: "/bin/bash" }), "allow");
  assert.equal(by({ command: "ls", env: { BASH_ENV: "x" } }), "ask");
  assert.equal(by({ command: "git fetch", env: ["GIT_SSH_COMMAND=rm x"] }), "ask");
  assert.equal(by({ command: "ls", env: { NODE_ENV: "test" } }), "allow");
});

test("a variable that names a command is as strict as what cannot be read, unless a rule allows it", () => {
  const denying = policyOf("default: allow\nrules: [{ id: no-rm, effect: deny, command: rm ** }]");
  assert.equal(shell(denying, "GIT_SSH_COMMAND='rm x' git fetch"), "ask opaque");
  assert.equal(shell(denying, "EDITOR=true git commit"), "allow default");
  const allowing = policyOf("default: allow\nrules: [{ id: editor, effect: allow, assigns: EDITOR }]");
  assert.equal(shell(allowing, "EDITOR=emacs git commit"), "allow editor");
});
