/**
 * What the gate costs per call: a decision with 100 rules, reading a shell text, a whole admit, and a row of the audit chain.
 * Each line is a median of interleaved rounds and a ratio to a peer in the same run: for decisions JSON.parse of a
 * typical 1.3 KB event of a model's stream, for the shell the parser alone (what our reading adds to it).
 *
 *   node bench/gate.ts
 */
import { createHash } from "node:crypto";
import { parse } from "unbash";
import { chainRow, chainStart } from "../src/core/gate/audit-chain.ts";
import { decide } from "../src/core/gate/decide.ts";
import { checkPolicyText } from "../src/core/gate/policy-text.ts";
import { SchemaStore } from "../src/core/gate/schemas.ts";
import { analyzeShell } from "../src/core/gate/shell.ts";
import { commitStructure } from "../src/core/gate/structural.ts";
import { toolsByName, type JudgedCall } from "../src/core/gate/tool-call.ts";
import { tellFigure } from "./support/figure.ts";
import { interleaved, median } from "./support/statistics.ts";

const rules = Array.from({ length: 100 }, (_, index) => {
  const shapes = [
    `effect: allow, tool: bash, command: "tool${index} **"`,
    `effect: deny, tool: [bash, shell], command: "danger${index} **", options: [-r, -f]`,
    `effect: allow, tool: "mcp__server${index}__*", arguments: [{ at: /path, under: /project }]`,
    `effect: deny, tool: "*", arguments: [{ at: "", regex: "secret${index}-[a-z]+" }]`,
    `effect: ask, tool: bash, redirect: write, paths: { outside: /project }`,
  ];
  return `  - { id: r${index}, ${shapes[index % shapes.length]} }`;
});
const checked = checkPolicyText(
  `version: 1\ndefault: ask\nrules:\n${rules.join("\n")}\n  - { id: ls, effect: allow, command: [ls **, git **, npm *] }\n`,
);
if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
const { policy } = checked;
const context = { workingDirectory: "/project", home: "/users/me", labels: ["dev"] };

const short = "git status && npm test";
const long =
  'cd src && for f in *.ts; do grep -n "TODO" "$f" | head -5 >> /tmp/out.txt; done && git commit -m "$(cat msg)" 2>&1 | tee log';
const heredoc = `cat > src/a.ts <<'EOF'\n${"export const value = { a: [1, 2, 3] }; // (text)\n".repeat(400)}EOF`;

const shellCall = (command: string): Pick<JudgedCall, "name" | "arguments" | "finish"> => ({
  name: "bash",
  arguments: { command },
  finish: "stop",
});
const plainCall = { name: "mcp__server42__read", arguments: { path: "src/a.ts" }, finish: "stop" } as const;

const schema = {
  type: "object",
  properties: { command: { type: "string" }, timeout: { type: "number" }, description: { type: "string" } },
  required: ["command"],
  additionalProperties: false,
};
const { tools } = toolsByName([{ name: "bash", schema }]);
const schemas = new SchemaStore();
const whole: JudgedCall = {
  id: "call_1",
  kind: "function",
  name: "bash",
  argumentsText: JSON.stringify({ command: short }),
  arguments: { command: short },
  status: "complete",
  provenance: "wire",
  finish: "tool_calls",
};

const event = JSON.stringify({
  id: "chatcmpl-1",
  choices: Array.from({ length: 8 }, (_, index) => ({
    index,
    delta: { content: `some words of an answer ${index}`, role: "assistant" },
    logprobs: null,
    finish_reason: null,
  })),
  usage: { prompt_tokens: 1, completion_tokens: 2 },
});
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const row = { type: "start", session: "s1", call: "call_1", timeMs: 1, executor: "executor" } as const;

const tasks: Readonly<Record<string, () => unknown>> = {
  "JSON.parse of one 1 KB event": () => JSON.parse(event),
  "decide, plain tool, 100 rules": () => decide(policy, plainCall, context),
  "decide, short shell text, 100 rules": () => decide(policy, shellCall(short), context),
  "decide, long shell text, 100 rules": () => decide(policy, shellCall(long), context),
  "decide, 20 KB here-document, 100 rules": () => decide(policy, shellCall(heredoc), context),
  "structural commit, schema cached": () => commitStructure(whole, { tools, schemas }),
  "shell: unbash alone, short": () => parse(short),
  "shell: read, short": () => analyzeShell(short),
  "shell: unbash alone, long": () => parse(long),
  "shell: read, long": () => analyzeShell(long),
  "audit row with SHA-256": () => chainRow(chainStart, row, sha256),
};

const roundMs = 60;
const rounds = 15;

/** Microseconds of this thread per call, so that other programs disturb less. */
function measure(task: () => unknown): number {
  const before = process.threadCpuUsage();
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  let calls = 0;
  while (usedMs() < roundMs) {
    for (let index = 0; index < 20; index += 1) task();
    calls += 20;
  }
  return (usedMs() * 1_000) / calls;
}

const measured = Object.entries(tasks).map(([name, task]) => [name, () => measure(task)] as const);
const times = await interleaved(rounds, Object.fromEntries(measured));
const medianOf = (name: string): number => median(times.get(name) ?? []);

const floor = medianOf("JSON.parse of one 1 KB event");
console.log(`${"task".padEnd(42)}${"us/call".padStart(10)}${"calls/s".padStart(12)}${"x JSON.parse".padStart(14)}`);
for (const name of Object.keys(tasks)) {
  const us = medianOf(name);
  console.log(
    `${name.padEnd(42)}${us.toFixed(2).padStart(10)}${Math.round(1e6 / us)
      .toString()
      .padStart(12)}${(us / floor).toFixed(2).padStart(14)}`,
  );
}
for (const size of ["short", "long"]) {
  const ratio = medianOf(`shell: read, ${size}`) / medianOf(`shell: unbash alone, ${size}`);
  const name = `gate, reading a ${size} shell text`;
  tellFigure({ name, value: ratio, unit: "x its parser alone", better: "less" });
}
for (const name of ["decide, short shell text, 100 rules", "decide, plain tool, 100 rules"] as const)
  tellFigure({ name: `gate, ${name}`, value: medianOf(name), unit: "us", better: "less" });
