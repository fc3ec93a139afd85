import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditRow } from "./audit-chain.ts";
import { callRecords, auditWords, ruleText, shownArguments } from "./call-record.ts";

const subject = (call: string, timeMs = 1) => ({ session: "s", call, timeMs });
const decision = (call: string, effect: "allow" | "ask" | "deny", more: object = {}): AuditRow => ({
  type: "decision",
  ...subject(call),
  requester: "me",
  tool: "Bash",
  source: "anthropic",
  provenance: "wire",
  argumentsHash: "",
  effect,
  decidedBy: "shell",
  line: 7,
  policyHash: null,
  evidence: "ls",
  ...more,
});
const answer = (call: string, effect: "allow" | "deny"): AuditRow => ({
  type: "answer",
  ...subject(call, 2),
  effect,
  approver: "ada",
});
const start = (call: string): AuditRow => ({ type: "start", ...subject(call, 3), executor: "agent" });
const outcome = (call: string, result: "refused" | "succeeded"): AuditRow => ({
  type: "outcome",
  ...subject(call, 4),
  result,
  outcomeHash: null,
});
const words = (...rows: AuditRow[]): string[] =>
  callRecords(rows).map(({ call, final, isStarted, outcome: out }) =>
    [call, final?.effect, `by ${final?.by}`, isStarted ? "started" : "", out?.result ?? ""].join(" ").trim(),
  );

test("callRecords names who had the last word, and what came of the call", () => {
  assert.deepEqual(
    words(decision("1", "ask"), decision("2", "allow"), answer("1", "deny"), start("2"), outcome("2", "succeeded")),
    ["1 deny by ada", "2 allow by shell, line 7 started succeeded"],
  );
  assert.deepEqual(
    words(decision("1", "ask"), answer("1", "allow"), decision("1", "deny", { decidedBy: "limit", line: null })),
    ["1 deny by limit"],
  );
  assert.deepEqual(words(decision("1", "deny", { enforced: false })), ["1 deny by shell, line 7, not enforced"]);
});

test("callRecords does not report a call as allowed that its agent refused in its own dialog", () => {
  assert.deepEqual(words(decision("1", "ask"), answer("1", "allow"), start("1"), outcome("1", "refused")), [
    "1 deny by the agent; before it, allow by ada started refused",
  ]);
});

test("callRecords keeps calls of different sessions apart, and skips rows of later versions", () => {
  const later = { ...subject("1"), type: "later" } as unknown as AuditRow;
  const other = { ...decision("1", "deny"), session: "t" };
  assert.deepEqual(
    callRecords([later, decision("1", "allow"), other]).map(({ final, session }) => [session, final?.effect]),
    [
      ["s", "allow"],
      ["t", "deny"],
    ],
  );
  assert.equal(callRecords([later])[0]?.final, null);
});

test("ruleText and shownArguments are what a person reads", () => {
  assert.equal(ruleText({ decidedBy: "default", line: null }), "default");
  assert.deepEqual(shownArguments('{"command":"a\\nb","timeout":5}'), [
    { name: "command", value: "a\nb" },
    { name: "timeout", value: "5" },
  ]);
  for (const text of ["*** Begin Patch", '{"command":"cu', "[1]"]) {
    assert.deepEqual(shownArguments(text), [{ name: "arguments", value: text }]);
  }
});

test("auditWords says what each row adds, also of a version that is not known", () => {
  const rows = [decision("1", "deny", { enforced: false }), answer("1", "allow"), start("1"), outcome("1", "refused")];
  assert.deepEqual([...rows, { ...subject("1"), type: "later" } as unknown as AuditRow].map(auditWords), [
    "Bash deny by shell (line 7), not enforced: ls",
    "answered allow by ada",
    "started by agent",
    "refused by the agent",
    "later",
  ]);
});
