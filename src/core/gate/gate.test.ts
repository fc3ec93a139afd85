import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { Gate, type GateRequest, type GateVerdict } from "./gate.ts";
import type { CallIdentity } from "./once.ts";
import { checkPolicy } from "./policy-files.ts";
import { checkPolicyText } from "./policy-text.ts";
import type { Policy } from "./policy.ts";
import { SchemaStore } from "./schemas.ts";
import { toolsByName, type JudgedCall } from "./tool-call.ts";

function policyOf(text: string): Policy {
  const checked = checkPolicyText(`version: 1\n${text}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.policy;
}

const policy = policyOf(`
tools: [{ tool: bash, shell: /command, timeoutSeconds: 30 }]
rules:
  - { id: ls, effect: allow, command: ls ** }
  - { id: no-rm, effect: deny, command: rm ** }
limits: [{ id: two, tool: bash, concurrent: 2 }]
`);

/** One for all: building the engines takes longer than everything else here. */
const schemas = new SchemaStore();
const { tools } = toolsByName([
  { name: "bash", schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } },
]);
const context = { workingDirectory: "/project", home: null, labels: [] };

function request(id: string, command: string, changes: Partial<JudgedCall> = {}): GateRequest {
  const call: JudgedCall = {
    id,
    kind: "function",
    name: "bash",
    argumentsText: command,
    arguments: { command },
    status: "complete",
    provenance: "wire",
    finish: "tool_calls",
    ...changes,
  };
  return { call, tools, session: "s", context, argumentsHash: `hash of ${command}` };
}

const identity = (id: string, command: string): CallIdentity => ({
  session: "s",
  id,
  argumentsHash: `hash of ${command}`,
});
const tell = (verdict: GateVerdict<string> | undefined): string => {
  if (verdict === undefined) return "nothing";
  if (verdict.type === "deny") return `deny ${verdict.denial.stage}`;
  return verdict.type === "replay" ? `replay ${verdict.outcome}` : verdict.type;
};

test("an allowed call is executed once, with its timeout, and then replayed", () => {
  const gate = new Gate<string>({ policy, schemas });
  const verdict = gate.admit(request("1", "ls"), 0);
  assert.equal(verdict.type === "execute" && verdict.timeoutMs, 30_000);
  assert.equal(tell(gate.admit(request("1", "ls"), 0)), "wait");
  assert.equal(gate.end(identity("1", "ls"), "files"), true);
  assert.equal(gate.end(identity("1", "ls"), "again"), false);
  assert.equal(tell(gate.admit(request("1", "ls"), 0)), "replay files");
  assert.equal(tell(gate.admit(request("1", "ls -a"), 0)), "deny identity");
});

test("a call is refused at the first stage that refuses it, and says why", () => {
  const gate = new Gate<string>({ policy, schemas });
  assert.equal(tell(gate.admit(request("1", "ls", { status: "healed" }), 0)), "deny structural");
  assert.equal(tell(gate.admit(request("1", "ls", { arguments: {} }), 0)), "deny structural");
  assert.equal(tell(gate.admit(request("1", "ls", { finish: "length" }), 0)), "deny policy");
  assert.equal(tell(gate.admit(request("1", "rm x"), 0)), "deny policy");
  const verdict = gate.admit(request("1", "rm x"), 0);
  assert.match(verdict.type === "deny" ? verdict.message : "", /no-rm.*line/);
});

test("a question waits for its answer, which counts once", () => {
  const gate = new Gate<string>({ policy, schemas });
  assert.equal(tell(gate.admit(request("1", "make"), 0)), "ask");
  assert.equal(tell(gate.admit(request("1", "make"), 0)), "wait");
  assert.equal(gate.end(identity("1", "make"), "x"), false);
  assert.equal(tell(gate.answer(identity("1", "make"), "allow", 0)), "execute");
  assert.equal(tell(gate.answer(identity("1", "make"), "allow", 0)), "nothing");
  assert.equal(tell(gate.admit(request("2", "make"), 0)), "ask");
  assert.equal(tell(gate.answer(identity("2", "make"), "deny", 0)), "deny answer");
  assert.equal(tell(gate.answer(identity("2", "make"), "allow", 0)), "nothing");
});

test("an answer to one text is no answer to another under the same id", () => {
  const gate = new Gate<string>({ policy, schemas });
  gate.admit(request("1", "make"), 0);
  assert.equal(tell(gate.answer(identity("1", "make install"), "allow", 0)), "nothing");
  assert.equal(tell(gate.answer(identity("1", "make"), "allow", 0)), "execute");
  assert.equal(gate.end(identity("1", "make install"), "x"), false);
});

test("a limit refuses, also after an answer, and the call may come again", () => {
  const gate = new Gate<string>({ policy, schemas });
  gate.admit(request("1", "make"), 0);
  assert.equal(tell(gate.admit(request("2", "ls"), 0)), "execute");
  assert.equal(tell(gate.admit(request("3", "ls"), 0)), "execute");
  const refused = gate.answer(identity("1", "make"), "allow", 0);
  assert.equal(refused?.type === "deny" && refused.message, 'The limit "two" (line 7) is reached');
  assert.equal(tell(gate.admit(request("4", "ls"), 0)), "deny limit");
  gate.end(identity("2", "ls"), "x");
  assert.equal(tell(gate.admit(request("4", "ls"), 0)), "execute");
});

test("what memory has forgotten is looked up", () => {
  const gate = new Gate<string>({ policy, schemas, callsMax: 1 });
  gate.admit(request("1", "ls"), 0);
  assert.equal(tell(gate.admit(request("2", "ls"), 0)), "deny identity");
  gate.end(identity("1", "ls"), "one");
  assert.equal(tell(gate.admit(request("2", "ls"), 0)), "execute");
  gate.end(identity("2", "ls"), "two");
  assert.equal(tell(gate.admit(request("1", "ls"), 0)), "look-up");
  gate.restore(identity("1", "ls"), "one");
  assert.equal(tell(gate.admit(request("1", "ls"), 0)), "replay one");
  assert.equal(tell(gate.admit({ ...request("3", "ls"), isNew: true }, 0)), "execute");
});

test("whatever arrives, nothing uncommittable, denied or repeated is executed", () => {
  const step = fc.record({
    id: fc.constantFrom("1", "2", "3"),
    command: fc.constantFrom("ls", "ls -a", "make", "rm x", "ls; rm x", "$x"),
    action: fc.constantFrom("admit", "admit", "admit", "allow", "deny", "end"),
    status: fc.constantFrom<JudgedCall["status"]>("complete", "complete", "complete", "healed", "invalid"),
    finish: fc.constantFrom<JudgedCall["finish"]>("tool_calls", "stop", "length", "truncated", "error", null),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const gate = new Gate<string>({ policy, schemas });
      const executed = new Set<string>();
      const approved = new Set<string>();
      for (const { id, command, action, status, finish } of steps) {
        const key = identity(id, command);
        if (action === "allow") approved.add(`${id} ${command}`);
        const verdict =
          action === "admit"
            ? gate.admit(request(id, command, { status, finish }), 0)
            : action === "end"
              ? void gate.end(key, command)
              : gate.answer(key, action, 0);
        if (verdict?.type !== "execute") continue;
        assert.ok(!executed.has(id), "twice");
        assert.ok(!command.includes("rm"), "denied");
        assert.ok(command.startsWith("ls") || approved.has(`${id} ${command}`), "not approved");
        if (action === "admit") assert.ok(status === "complete" && (finish === "stop" || finish === "tool_calls"));
        executed.add(id);
      }
    }),
    { numRuns: runsOf(500) },
  );
});

test("log-only lets pass what the policy denies or asks about, and keeps what it would have done", () => {
  const logOnly = policyOf(`
mode: log-only
tools: [{ tool: bash, timeoutSeconds: 30 }]
rules:
  - { id: ls, effect: allow, command: ls ** }
  - { id: no-rm, effect: deny, command: rm ** }
limits: [{ id: one, tool: bash, concurrent: 1 }]
`);
  const gate = new Gate<string>({ policy: logOnly, schemas });
  const passed = (id: string, command: string): string => {
    const verdict = gate.admit(request(id, command), 0);
    assert.ok(verdict.type === "execute", tell(verdict));
    assert.equal(verdict.timeoutMs, null);
    const { unenforced } = verdict;
    return unenforced?.type === "deny" ? `deny ${unenforced.denial.stage}` : (unenforced?.type ?? "enforced");
  };
  assert.deepEqual(
    [passed("1", "rm x"), passed("2", "make"), passed("3", "ls"), passed("4", "ls")],
    ["deny policy", "ask", "execute", "deny limit"],
  );
  assert.equal(gate.end(identity("1", "rm x"), "done"), true);
  assert.equal(gate.end(identity("4", "ls"), "done"), true);
  assert.equal(gate.answer(identity("2", "make"), "deny", 0), undefined);
});

test("log-only changes nothing about what no policy allows", () => {
  const gate = new Gate<string>({ policy: policyOf("mode: log-only\nopaque: allow\ndefault: allow"), schemas });
  assert.deepEqual(
    [
      request("1", "rm x", { status: "healed" }),
      request("2", "ls", { finish: "length" }),
      request("3", "lectern approve w q1"),
      request("4", "ls", { name: "unknown" }),
    ].map((each) => tell(gate.admit(each, 0))),
    ["deny structural", "deny policy", "deny policy", "deny structural"],
  );
  assert.equal(tell(gate.admit(request("5", "ls"), 0)), "execute");
  assert.equal(tell(gate.admit(request("5", "rm"), 0)), "deny identity");
});

test("log-only does not let a call of a shell tool pass for which there is no judge", () => {
  const checked = checkPolicy({ version: 1, mode: "log-only", default: "allow" });
  assert.ok(checked.ok);
  const gate = new Gate<string>({ policy: checked.policy, schemas });
  assert.equal(tell(gate.admit(request("1", "ls"), 0)), "deny policy");
});
