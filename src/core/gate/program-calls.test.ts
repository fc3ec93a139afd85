import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { checkPolicyText } from "./policy-text.ts";

const program = 'await tools.exec_command({ cmd: "rm -rf src" })';

function effectOf(policyText: string, given: unknown, name = "exec"): string {
  const checked = checkPolicyText(`version: 1\n${policyText}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  const call = { name, arguments: given, finish: "tool_calls" } as const;
  const { effect, rule, source } = decide(checked.policy, call, { workingDirectory: "/w", home: "/h", labels: [] });
  return `${effect} ${rule?.id ?? source}`;
}

const denyList = 'default: allow\nrules: [{ id: no-rm, effect: deny, command: "rm **" }]';

test("a program that calls other tools is opaque: rules neither allow it nor see what it calls", () => {
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

/** Tools of Claude Code 2.1.330, Codex 0.169.0, opencode 1.18.33, Qwen Code 0.24.4, pi 0.87.1 and Copilot CLI 1.0.102. */
const texts: readonly (readonly [name: string, given: unknown, expected: string])[] = [
  ["exec", { source: 'await tools.run_shell_command({ command: "rm -rf src" })' }, "ask opaque"],
  ["REPL", { code: 'await Bash({ command: "rm -rf src" })' }, "ask opaque"],
  ["execute", { code: "await tools.files.remove()" }, "ask opaque"],
  ["Workflow", { script: "agent('rm -rf src')" }, "ask opaque"],
  ["workflow", { name: "clean" }, "ask opaque"],
  ["tool_call", { name: "monitor", arguments: { command: "rm -rf src" } }, "ask opaque"],
  ["PowerShell", { command: "Remove-Item src" }, "ask opaque"],
  ["powershell", { command: "rm -r src" }, "ask opaque"],
  ["write_stdin", { session_id: 1, chars: "rm -rf src\n" }, "ask opaque"],
  ["write_bash", { shellId: "0", input: "rm -rf src{enter}", delay: 5 }, "ask opaque"],
  ["Monitor", { command: "rm -rf src", description: "x" }, "deny no-rm"],
  ["monitor", { command: "rm -rf src", directory: "/w" }, "deny no-rm"],
  ["run_shell_command", { command: "rm -rf src", is_background: true }, "deny no-rm"],
  ["container.exec", { command: ["bash", "-lc", "rm -rf src"] }, "deny no-rm"],
];

test("what an agent runs without the name of a shell, or types into a running program, does not pass a list of denied commands", () => {
  assert.deepEqual(
    texts.map(([name, given]) => [name, given, effectOf(denyList, given, name)]),
    texts,
  );
});

test("to wait for the output of a running program is no program", () => {
  assert.equal(effectOf(denyList, { session_id: 1, chars: "" }, "write_stdin"), "allow default");
  assert.equal(effectOf(denyList, { session_id: 1 }, "write_stdin"), "allow default");
  assert.equal(effectOf(denyList, { command: "tail -f log", description: "x" }, "Monitor"), "allow default");
});
