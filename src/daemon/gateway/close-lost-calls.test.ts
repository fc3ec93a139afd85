import assert from "node:assert/strict";
import { test } from "node:test";
import { chainRow, chainStart, type AuditRow, type ChainedRow, type DecisionRow } from "../../core/gate/audit-chain.ts";
import { AuditFold } from "../../core/gate/audit-fold.ts";
import { sha256 } from "../audit/sha256.ts";
import { AGENT_EXECUTOR, closeLostCalls } from "./close-lost-calls.ts";

const decided = (session: string, call: string, more: Partial<DecisionRow> = {}): DecisionRow => ({
  type: "decision",
  session,
  call,
  timeMs: 1,
  requester: "claude",
  tool: "Bash",
  source: "anthropic",
  provenance: "wire",
  argumentsHash: "a",
  effect: "ask",
  decidedBy: "r",
  line: 1,
  policyHash: null,
  evidence: "",
  ...more,
});
const begun = (session: string, call: string, executor: string): AuditRow[] => [
  decided(session, call, { effect: "allow" }),
  { type: "start", session, call, timeMs: 1, executor },
];

/** The rows that are added to a log, as `SESSION CALL WHAT`. */
async function added(rows: readonly AuditRow[], isStart: boolean): Promise<string[]> {
  const fold = new AuditFold();
  const chained: ChainedRow[] = [];
  for (const row of rows) {
    fold.feed(row);
    chained.push(chainRow(chained.at(-1) ?? chainStart, row, sha256));
  }
  const found: AuditRow[] = [];
  const audit = {
    append: async (more: readonly AuditRow[]) => void found.push(...more),
    openCalls: async () => fold.open(),
    list: async ({ session }: { readonly session: string | undefined }) => ({
      rows: chained.filter(({ row }) => row.session === session),
      next: 0,
      end: 0,
    }),
  };
  const wired = new Map([
    ["live", { agent: "claude", isLive: true }],
    ["over", { agent: "claude", isLive: false }],
  ]);
  await closeLostCalls(audit, (session) => wired.get(session), { isStart });
  return found.map((row) => {
    const what = row.type === "answer" ? `${row.effect} by ${row.approver}` : row.type === "outcome" ? row.result : "";
    return `${row.session} ${row.call} ${what}`;
  });
}

const log = [
  decided("live", "asked"),
  decided("live", "asked-by-another", { requester: "agent (reported by session live)" }),
  ...begun("live", "runs", AGENT_EXECUTOR),
  decided("over", "asked"),
  ...begun("over", "ran", AGENT_EXECUTOR),
  ...begun("over", "of-an-executor", "executor"),
  decided("elsewhere", "asked"),
  ...begun("elsewhere", "runs", AGENT_EXECUTOR),
];

test("a new daemon closes the questions of the last one, and calls whose session has ended", async () => {
  assert.deepEqual(await added(log, true), [
    "live asked deny by abandoned",
    "over asked deny by abandoned",
    "over ran unknown",
  ]);
});

test("while it runs, questions wait, and only calls of ended sessions are closed", async () => {
  assert.deepEqual(await added(log, false), ["over ran unknown"]);
});
