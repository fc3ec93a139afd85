import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "node:test";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Admits one call that fits its schema and its policy, and one that does not fit. */
const program = `
import { checkPolicy, decide, Gate } from "lectern/gate";
import { heal, WireReader } from "lectern/llm";
import { patterns } from "lectern/patterns";
import { shell } from "lectern/shell";
import { yaml } from "lectern/yaml";
const text = "version: 1\\nrules: [{ id: ls, effect: allow, tool: ls, arguments: [{ at: /path, regex: '^[a-z.]+$' }] }, { id: no, effect: deny, command: rm ** }]";
const policy = checkPolicy(text, { patterns, shell, yaml });
if (!policy.ok) throw new Error(JSON.stringify(policy.problems));
const gate = new Gate({ policy: policy.policy });
const schema = { type: "object", properties: { path: { type: "string", pattern: "^[.a-z]+$" } }, required: ["path"] };
const tools = new Map([["ls", { name: "ls", schema }]]);
const types = ['{"path":"a.ts"}', '{"path":1}'].map((argumentsText, index) => {
  const turn = { id: "c" + index, kind: "function", name: "ls", argumentsText, arguments: heal(argumentsText).value };
  const call = { ...turn, status: "complete", provenance: "wire", finish: "tool_calls" };
  const context = { workingDirectory: "/project", home: null, labels: [] };
  return gate.admit({ call, tools, session: "s", context, argumentsHash: String(index) }, 0).type;
});
const bash = { name: "bash", arguments: { command: "ls; rm x" }, finish: "stop" };
types.push(decide(policy.policy, bash, { workingDirectory: "/project", home: null, labels: [] }).effect);
console.log(JSON.stringify([types, new WireReader("anthropic").turn.finish]));
`;

test("lectern/gate, lectern/patterns, lectern/shell, lectern/yaml and lectern/llm run where code generation is forbidden", async () => {
  const flags = ["--disallow-code-generation-from-strings", "-C", "source", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: root, timeout: 60_000 });
  assert.deepEqual(JSON.parse(stdout), [["execute", "deny", "deny"], "truncated"]);
});
