import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditRow } from "./audit-chain.ts";
import { AuditFold } from "./audit-fold.ts";
import { AuditedGate, type AuditSink, type CommitRequest, type CommitVerdict } from "./audited-gate.ts";
import { Gate } from "./gate.ts";
import { checkPolicyText } from "./policy-text.ts";
import type { Policy } from "./policy.ts";
import { SchemaStore } from "./schemas.ts";
import { toolsByName } from "./tool-call.ts";

const checked = checkPolicyText(`
version: 1
rules:
  - { id: ls, effect: allow, tool: bash, command: ls ** }
  - { id: no-rm, effect: deny, tool: bash, command: rm ** }
limits: [{ id: one, tool: bash, concurrent: 1 }]
`);
assert.ok(checked.ok);
const policy: Policy = checked.policy;
const schemas = new SchemaStore();
const { tools } = toolsByName([{ name: "bash", schema: { type: "object", required: ["command"] } }]);

/** A log in memory, which outlives the gates that write to it. */
class MemorySink implements AuditSink {
  readonly rows: AuditRow[] = [];
  readonly #fold = new AuditFold();
  broken = false;

  async append(rows: readonly AuditRow[]): Promise<void> {
    if (this.broken) throw new Error("the disk is full");
    for (const row of rows) {
      this.rows.push(row);
      this.#fold.feed(row);
    }
  }

  async find(session: string, call: string): ReturnType<AuditSink["find"]> {
    return this.#fold.find(session, call);
  }

  get shown(): string[] {
    return this.rows.map((row) => {
      switch (row.type) {
        case "decision":
          return `${row.call} ${row.effect} by ${row.decidedBy}: ${row.evidence}`;
        case "answer":
          return `${row.call} answered ${row.effect} by ${row.approver}`;
        case "start":
          return `${row.call} started by ${row.executor}`;
        case "outcome":
          return `${row.call} ${row.result}`;
      }
    });
  }
}

const gateOn = (sink: AuditSink): AuditedGate<string> =>
  new AuditedGate({
    gate: new Gate<string>({ policy, schemas, continues: true }),
    sink,
    executor: "executor",
    policyHash: "p",
    outcomeOf: (call) => `outcome ${call.outcomeHash}`,
  });

function request(id: string, command: string, more: Partial<CommitRequest["call"]> = {}): CommitRequest {
  const argumentsText = JSON.stringify({ command });
  const call = {
    id,
    kind: "function",
    name: "bash",
    argumentsText,
    arguments: { command },
    status: "complete",
    provenance: "wire",
    finish: "tool_calls",
    ...more,
  } as const;
  const context = { workingDirectory: "/project", home: null, labels: [] };
  return { call, tools, session: "s", context, argumentsHash: argumentsText, requester: "me", source: "anthropic" };
}

const identity = (id: string, command: string): { session: string; id: string; argumentsHash: string } => ({
  session: "s",
  id,
  argumentsHash: JSON.stringify({ command }),
});
const told = (verdict: CommitVerdict<string> | undefined): string => {
  if (verdict === undefined) return "nothing";
  if (verdict.type === "deny") return `deny ${verdict.denial.stage}`;
  return verdict.type === "replay" ? `replay ${verdict.outcome}` : verdict.type;
};
const ended = { result: "succeeded", outcomeHash: "h" } as const;

test("a call has its rows before it is let through, and one when it ends", async () => {
  const sink = new MemorySink();
  const gate = gateOn(sink);
  assert.equal(told(await gate.admit(request("1", "ls -a"), 5)), "execute");
  assert.deepEqual(sink.shown, ["1 allow by ls: ls -a", "1 started by executor"]);
  await gate.end(identity("1", "ls -a"), "out", ended, 6);
  await gate.end(identity("1", "ls -a"), "again", ended, 7);
  assert.deepEqual(sink.shown.slice(2), ["1 succeeded"]);
  assert.equal(told(await gate.admit(request("1", "ls -a"), 8)), "replay out");
  assert.equal(sink.rows.length, 3);
});

test("each refusal has one row, whatever refused", async () => {
  const sink = new MemorySink();
  const gate = gateOn(sink);
  await gate.admit(request("1", "rm x"), 0);
  await gate.admit(request("2", "ls", { status: "healed", provenance: "healed" }), 0);
  await gate.admit(request("3", "ls"), 0);
  await gate.admit(request("3", "ls -l"), 0);
  await gate.admit(request("4", "ls"), 0);
  assert.deepEqual(sink.shown, [
    "1 deny by no-rm: rm x",
    "2 deny by structural: arguments-healed",
    "3 allow by ls: ls",
    "3 started by executor",
    "3 deny by identity: conflict",
    "4 deny by limit: one",
  ]);
});

test("a row has at most 200 characters of a command", async () => {
  const sink = new MemorySink();
  const gate = gateOn(sink);
  const whole = `rm ${"x".repeat(197)}`;
  await gate.admit(request("1", whole), 0);
  await gate.admit(request("2", `${whole}x`), 0);
  assert.deepEqual(sink.shown, [`1 deny by no-rm: ${whole}`, `2 deny by no-rm: ${whole.slice(0, 199)}…`]);
});

test("a decision has the whole call and each part with its rule, masked, and not the parts of a call with one", async () => {
  const sink = new MemorySink();
  const gate = gateOn(sink);
  await gate.admit(request("1", "ls -a && export DB_PASSWORD=hunter22 | ls"), 0);
  await gate.admit(request("2", "ls"), 0);
  const [first, second] = sink.rows.filter((row) => row.type === "decision");
  assert.equal(first?.arguments, '{"command":"ls -a && export DB_PASSWORD=••• | ls"}');
  const byRule = { effect: "allow", decidedBy: "ls", line: 4 };
  assert.deepEqual(
    first.parts?.filter(({ decidedBy }) => decidedBy === "ls"),
    [
      { text: "ls -a", ...byRule },
      { text: "ls", ...byRule },
    ],
  );
  assert.deepEqual(
    first.parts.filter(({ text }) => text.includes("•••")).map(({ effect }) => effect),
    ["ask"],
  );
  assert.doesNotMatch(JSON.stringify(sink.rows), /"(?:evidence|arguments|text)":"[^"]*hunter22/);
  assert.deepEqual([second?.arguments, second?.parts], ['{"command":"ls"}', undefined]);
});

test("an answer has its row before what it allows begins", async () => {
  const sink = new MemorySink();
  const gate = gateOn(sink);
  assert.equal(told(await gate.admit(request("1", "make KEY_PASSWORD=hunter22"), 0)), "ask");
  assert.equal(told(await gate.admit(request("2", "make b"), 0)), "ask");
  const yes = { effect: "allow", approver: "me" } as const;
  assert.equal(told(await gate.answer(identity("1", "make KEY_PASSWORD=hunter22"), yes, 1)), "execute");
  assert.equal(told(await gate.answer(identity("1", "make KEY_PASSWORD=hunter22"), yes, 1)), "nothing");
  assert.equal(told(await gate.answer(identity("2", "make b"), yes, 1)), "deny limit");
  assert.deepEqual(sink.shown, [
    "1 ask by default: make KEY_PASSWORD=•••",
    "2 ask by default: make b",
    "1 answered allow by me",
    "1 started by executor",
    "2 answered allow by me",
    "2 deny by limit: one",
  ]);
});

test("where the row cannot be written nothing is let through, and the call may come again", async () => {
  const sink = new MemorySink();
  const gate = gateOn(sink);
  sink.broken = true;
  await assert.rejects(gate.admit(request("1", "ls"), 0), /disk is full/);
  sink.broken = false;
  assert.equal(told(await gate.admit(request("1", "ls"), 0)), "execute");
});

test("what an earlier process started is not run again, and what it finished is replayed", async () => {
  const sink = new MemorySink();
  const earlier = gateOn(sink);
  await earlier.admit(request("done", "ls"), 0);
  await earlier.end(identity("done", "ls"), "out", ended, 0);
  await earlier.admit(request("cut", "ls"), 0);
  await gateOn(sink).admit(request("asked", "make"), 0);
  const later = gateOn(sink);
  assert.equal(told(await later.admit(request("done", "ls"), 1)), "replay outcome h");
  assert.equal(told(await later.admit(request("done", "ls -a"), 1)), "deny identity");
  assert.equal(told(await later.admit(request("cut", "ls"), 1)), "deny identity");
  assert.equal(told(await later.admit(request("asked", "make"), 1)), "ask");
  assert.equal(told(await later.admit(request("new", "ls"), 1)), "execute");
});

test("in the mode log-only the rows have what the policy would have done, and that it was not enforced", async () => {
  const sink = new MemorySink();
  const gate = new AuditedGate({
    gate: new Gate<string>({ policy: { ...policy, mode: "log-only" }, schemas, continues: true }),
    sink,
    executor: "executor",
    policyHash: "p",
    outcomeOf: () => "",
  });
  for (const [id, command] of [
    ["1", "rm x"],
    ["2", "make"],
    ["3", "ls"],
    ["4", "ls"],
  ] as const) {
    assert.equal(told(await gate.admit(request(id, command), 1)), "execute");
  }
  const decisions = sink.rows.filter((row) => row.type === "decision");
  assert.deepEqual(
    decisions.map(({ call, decidedBy, effect, enforced }) => [call, effect, decidedBy, enforced]),
    [
      ["1", "deny", "no-rm", false],
      ["2", "ask", "default", false],
      ["3", "allow", "ls", false],
      ["4", "deny", "limit", false],
    ],
  );
  assert.equal((await sink.find("s", "1"))?.stage, "unfinished");
  await gate.end(identity("1", "rm x"), "out", ended, 2);
  assert.equal((await sink.find("s", "1"))?.stage, "finished");
});

test("AuditedGate ends a call that an earlier process started, once, and no other", async () => {
  const sink = new MemorySink();
  assert.equal((await gateOn(sink).admit(request("1", "ls"), 1)).type, "execute");
  const next = gateOn(sink);
  const facts = (tool: string) => ({ result: "unknown", evidence: tool, outcomeHash: null }) as const;
  const end = (call: string) => next.endEarlier({ session: "s", call, outcome: "done" }, facts, 2);
  assert.equal(await end("1"), "bash");
  assert.equal(await end("1"), undefined);
  assert.equal(await end("2"), undefined);
  assert.deepEqual(sink.shown.slice(2), ["1 unknown"]);
  assert.equal((await next.admit(request("1", "ls"), 3)).type, "replay");
});
