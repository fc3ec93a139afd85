import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicyText } from "./policy-text.ts";
import type { Policy } from "./policy.ts";
import { callDirectory } from "./working-directory.ts";
const context = { workingDirectory: "/project", home: "/users/me", labels: [] };

function policyOf(text: string): Policy {
  const checked = checkPolicyText(`version: 1\n${text}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.policy;
}

const settings = { shell: ["command"], directories: [["dir_path"], ["directory"]], timeoutMs: null };

test("the tool's own argument names the folder, and others of such a name are listed", () => {
  assert.deepEqual(callDirectory({ command: "ls", directory: "a" }, settings).named, {
    path: "/directory",
    value: "a",
  });
  const both = callDirectory({ command: "ls", directory: "a", dir_path: "b", nested: { CWD: "c" } }, settings);
  assert.deepEqual(both.named, { path: "/dir_path", value: "b" });
  assert.deepEqual(both.others, [
    { path: "/directory", value: "a" },
    { path: "/nested/CWD", value: "c" },
  ]);
});

test("the words of a command are no folders, and neither are numbers or other names", () => {
  const call = { command: ["ls", "cwd"], pid: 1, dir: 1, cwd: null, pathology: "x", directive: "y" };
  const { isOpen, named, others } = callDirectory(call, settings);
  assert.deepEqual({ isOpen, named, others }, { isOpen: false, named: undefined, others: [] });
});

test("too many folders leave the directory open", () => {
  const call = { dirs: { dir1: "a", dir2: "b", dir3: "c", dir4: "d", dir5: "e" } };
  assert.equal(callDirectory(call, undefined).isOpen, true);
});

const inside = policyOf(`
rules:
  - { id: in, effect: allow, command: [cat **, "echo **"], paths: { under: . } }
  - { id: write, effect: allow, redirect: write, paths: { under: . } }
  - { id: read, effect: allow, tool: read_file, arguments: [{ at: /path, under: . }] }
  - { id: list, effect: allow, tool: list, arguments: [{ at: /directory, under: . }] }
  - { id: out, effect: deny, redirect: write, paths: { outside: . } }
`);
const decideInside = (name: string, value: unknown): string => {
  const decision = decide(inside, { name, arguments: value, finish: "stop" }, context);
  return `${decision.effect} ${decision.rule?.id ?? decision.source}`;
};

test("the working directory of a call is known for the tools of known agents", () => {
  for (const [tool, key, folder] of [
    ["exec_command", "cmd", "workdir"],
    ["shell", "command", "workdir"],
    ["bash", "command", "workdir"],
    ["local_shell", "command", "working_directory"],
    ["run_shell_command", "command", "directory"],
    ["run_shell_command", "command", "dir_path"],
  ] as const) {
    const by = (where: unknown): string => decideInside(tool, { [key]: "echo x > y", [folder]: where });
    assert.equal(by("src"), "allow in", tool);
    assert.equal(by(""), "allow in", tool);
    assert.equal(by(null), "allow in", tool);
    assert.equal(by("/etc"), "deny out", tool);
    assert.equal(by("../other"), "deny out", tool);
    assert.equal(by("~/x").split(" ")[0], "ask", tool);
    assert.equal(by("file:///etc").split(" ")[0], "ask", tool);
  }
  assert.equal(decideInside("exec_command", { cmd: "echo x > ../y", workdir: "/project/src" }), "allow in");
});

test("an unknown argument that looks like a working directory makes the call opaque", () => {
  for (const folder of ["cwd", "Workdir", "workingDirectory", "working_dir", "DIR", "folder", "project_root"]) {
    assert.equal(decideInside("bash", { command: "echo x", [folder]: "/project" }), "ask opaque", folder);
    assert.equal(decideInside("bash", { command: "echo x", options: [{ [folder]: "." }] }), "ask opaque", folder);
  }
  assert.equal(decideInside("run_shell_command", { command: "echo x", dir_path: ".", directory: "/" }), "ask opaque");
  assert.equal(decideInside("bash", { command: "echo x", is_dir: true, description: "a cwd" }), "allow in");
});

test("every path beside a shell text, and every name of a folder, leaves open where it runs", () => {
  const keys =
    "cwd_path cwdPath rootPath projectPath basePath path base location repo worktree project startIn dirname dir_name run_in any";
  for (const key of keys.split(" "))
    for (const folder of ["/etc", "~", "../x", "file:///etc"])
      assert.notEqual(decideInside("bash", { command: "echo x > f", [key]: folder }).split(" ")[0], "allow", key);
  for (const key of ["cwd_path", "dirName", "root_path", "worktree"])
    assert.equal(decideInside("bash", { command: "echo x", [key]: "src" }), "ask opaque", key);
  assert.equal(decideInside("bash", { command: "echo x", description: "/etc is read", mode: "sync" }), "allow in");
  assert.equal(decideInside("read_file", { path: "x", root_path: "src" }), "allow read");
});

test("what the shell tools of known agents send beside the text is no folder, no shell and no second text", () => {
  for (const [tool, call] of [
    [
      "Bash",
      {
        command: "ls",
        description: "~ is listed",
        timeout: 1,
        run_in_background: true,
        dangerouslyDisableSandbox: true,
      },
    ],
    [
      "exec_command",
      {
        cmd: "ls",
        workdir: "src",
        yield_time_ms: 1,
        max_output_tokens: 5,
        sandbox_permissions: "require_escalated",
        justification: "../x is outside",
        prefix_rule: ["git", "pull"],
        shell: "/bin/bash",
        login: true,
        tty: false,
      },
    ],
    ["shell", { command: ["bash", "-lc", "ls"], workdir: ".", timeout_ms: 1, sandbox_permissions: "use_default" }],
    [
      "local_shell",
      { type: "exec", command: ["ls"], env: { a: "/x" }, timeout_ms: 1, user: null, working_directory: "." },
    ],
    ["run_shell_command", { command: "ls", description: "/etc", dir_path: "src", is_background: true, timeout: 5 }],
    ["execute_command", { command: "ls", cwd: "src", requires_approval: false, timeout: 30 }],
    ["run_commands", { commands: ["ls", "/bin/ls"], cwd: "src" }],
    ["bash", { command: "ls", sessionId: "s", mode: "sync", initial_wait: 30, detach: true }],
  ] as const)
    assert.equal(
      decide(policyOf("default: allow"), { name: tool, arguments: call, finish: "stop" }, context).effect,
      "allow",
      tool,
    );
});

test("a plain call is inside only where it is so from each folder that it names", () => {
  assert.equal(decideInside("read_file", { path: "x" }), "allow read");
  assert.equal(decideInside("read_file", { path: "x", cwd: "src" }), "allow read");
  assert.equal(decideInside("read_file", { path: "x", cwd: "/etc" }), "ask default");
  assert.equal(decideInside("read_file", { path: "/project/x", cwd: "/etc" }), "allow read");
  assert.equal(decideInside("list", { directory: "src" }), "allow list");
  assert.equal(decideInside("list", { directory: "../x" }), "ask default");
});
