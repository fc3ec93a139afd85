import assert from "node:assert/strict";
import { test } from "node:test";
import { auditCalls, matchesAuditFilter, resultOf, type AuditLogRow } from "./audit-calls.ts";

let sequence = 0;
const row = (type: string, call: string, timeMs: number, rest: object = {}): AuditLogRow => ({
  sequence: (sequence += 1),
  row: { type, session: "s", call, timeMs, ...rest },
  previous: "",
  hash: "",
});

const rows = [
  row("decision", "c1", 1, { tool: "Bash", effect: "ask", decidedBy: "shell rules", line: 7, evidence: "rm -rf" }),
  row("decision", "c2", 2, { tool: "Read", effect: "allow", decidedBy: "default", line: null, evidence: "" }),
  row("answer", "c1", 3, { effect: "deny", approver: "ada" }),
  row("start", "c2", 4, { executor: "agent" }),
  row("outcome", "c2", 5, { result: "succeeded" }),
  row("of a later version", "c2", 6),
];

test("auditCalls tells who had the last word, and what came out", () => {
  assert.deepEqual(
    auditCalls(rows).map((call) => [
      call.call,
      call.decision?.tool,
      call.final?.effect,
      call.final?.by,
      resultOf(call),
    ]),
    [
      ["c2", "Read", "allow", "default", "succeeded"],
      ["c1", "Bash", "deny", "ada", ""],
    ],
  );
});

test("auditCalls names the line of the rule while nobody has answered", () => {
  assert.equal(auditCalls(rows.slice(0, 1))[0]?.final?.by, "shell rules, line 7");
});

test("matchesAuditFilter wants all words", () => {
  const [, denied] = auditCalls(rows);
  assert.ok(denied && matchesAuditFilter(denied, "bash deny") && !matchesAuditFilter(denied, "bash allow"));
});

test("resultOf names a call that runs, and one that its agent refused", () => {
  const decision = row("decision", "c", 1, { tool: "Bash", effect: "allow", decidedBy: "d", line: null, evidence: "" });
  const started = [decision, row("start", "c", 2, { executor: "agent" })];
  assert.deepEqual(auditCalls(started).map(resultOf), ["running"]);
  const refused = [...started, row("outcome", "c", 3, { result: "refused" })];
  assert.deepEqual(
    auditCalls(refused).map((call) => [resultOf(call), call.final?.effect]),
    [["refused by the agent", "deny"]],
  );
});
