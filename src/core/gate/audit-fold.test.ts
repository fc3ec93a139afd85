import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditRow } from "./audit-chain.ts";
import { AuditFold } from "./audit-fold.ts";

const subject = (call: string): { session: string; call: string; timeMs: number } => ({
  session: "s",
  call,
  timeMs: 1,
});
const decision = (call: string, effect: "allow" | "ask" | "deny"): AuditRow => ({
  type: "decision",
  ...subject(call),
  requester: "me",
  tool: "bash",
  source: "test",
  provenance: "wire",
  argumentsHash: "h",
  effect,
  decidedBy: "default",
  line: null,
  policyHash: null,
  evidence: "",
});
const answer = (call: string, effect: "allow" | "deny"): AuditRow => ({
  type: "answer",
  ...subject(call),
  effect,
  approver: "me",
});
const start = (call: string): AuditRow => ({ type: "start", ...subject(call), executor: "executor" });
const outcome = (call: string): AuditRow => ({
  type: "outcome",
  ...subject(call),
  result: "succeeded",
  outcomeHash: "o",
});

function fold(...rows: readonly AuditRow[]): AuditFold {
  const result = new AuditFold();
  for (const row of rows) result.feed(row);
  return result;
}

test("wherever the log ends, the fold tells what is left to do", () => {
  const rows = [decision("1", "ask"), answer("1", "allow"), start("1"), outcome("1")];
  const stages = rows.map((_, at) => fold(...rows.slice(0, at + 1)).find("s", "1")?.stage);
  assert.deepEqual(stages, ["undecided", "approved", "unfinished", "finished"]);
});

test("only calls with something left are open", () => {
  const result = fold(
    decision("1", "allow"),
    decision("2", "deny"),
    decision("3", "ask"),
    start("1"),
    decision("4", "ask"),
    answer("4", "deny"),
    decision("5", "allow"),
    start("5"),
    outcome("5"),
  );
  assert.deepEqual(
    result.open().map(({ call, stage }) => [call, stage]),
    [
      ["1", "unfinished"],
      ["3", "undecided"],
    ],
  );
});

test("a decision about a repetition does not make a started call executable again", () => {
  assert.equal(fold(decision("1", "allow"), start("1"), decision("1", "allow")).find("s", "1")?.stage, "unfinished");
  assert.equal(
    fold(start("1"), outcome("1"), decision("1", "ask"), answer("1", "allow"), start("1")).find("s", "1")?.stage,
    "finished",
  );
  assert.equal(fold(decision("1", "deny"), answer("1", "allow")).find("s", "1")?.stage, "denied");
});

test("a call keeps what its rows said", () => {
  assert.deepEqual(fold(decision("1", "allow"), outcome("1")).find("s", "1"), {
    session: "s",
    call: "1",
    stage: "finished",
    argumentsHash: "h",
    tool: "bash",
    outcomeHash: "o",
    timeMs: 1,
  });
  assert.equal(fold().find("s", "1"), undefined);
});
