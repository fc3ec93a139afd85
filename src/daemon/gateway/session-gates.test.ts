import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import type { CommitRequest } from "../../core/gate/audited-gate.ts";
import type { JudgedCall } from "../../core/gate/tool-call.ts";
import { DiskView } from "../../disk/file-view.ts";
import { JobThread } from "../jobs/job-thread.ts";
import { SessionGates } from "./session-gates.ts";
import { turnsUntil } from "../../../test/support/loop-turns.ts";

const allowAll = "version: 1\ndefault: allow\n";
const sink = { append: async (_: readonly AuditRow[]) => undefined, find: async () => undefined };

function requestOf(value: object, schema: object): CommitRequest {
  const call: JudgedCall = {
    id: "c1",
    kind: "function",
    name: "tool",
    status: "complete",
    provenance: "wire",
    arguments: value,
    argumentsText: JSON.stringify(value),
    finish: "tool_calls",
  };
  return {
    call,
    session: "s",
    argumentsHash: "h",
    requester: "agent",
    source: "test",
    isNew: true,
    tools: new Map([["tool", { name: "tool", schema }]]),
    context: { workingDirectory: "/project", home: null, labels: [], files: () => new DiskView() },
  };
}

/** Each takes longer than the start of a thread. */
const costly: Readonly<Record<string, readonly [policy: string, value: object, schema: object]>> = {
  "patterns of a schema at the limit of steps": [
    allowAll,
    { a: "a".repeat(4000) },
    { properties: { a: { pattern: String.raw`[\pL\pN]{990}`.repeat(9) } } },
  ],
  "patterns of a schema that are costly to compile": [
    allowAll,
    { a: 1 },
    { allOf: Array.from({ length: 20 }, (_, index) => ({ pattern: `(?i)${String.raw`[^\pL]`.repeat(130)}${index}` })) },
  ],
  "a pattern of the policy": [
    `${allowAll}rules:\n  - { id: r, effect: deny, arguments: [{ at: "", regex: '${".{1000}".repeat(9)}' }] }\n`,
    { a: "é".repeat(4000) },
    {},
  ],
  "a long shell text": [allowAll, { command: "rm -rf /a/b; ".repeat(5000) }, {}],
};

for (const [name, [policy, value, schema]] of Object.entries(costly)) {
  test(`${name}: the call is judged beside the event loop`, async () => {
    const { gate } = await new SessionGates(sink).of(policy);
    const [verdict, turns] = await turnsUntil(gate.admit(requestOf(value, schema), 0));
    assert.ok(verdict.type === "execute" || verdict.type === "deny", verdict.type);
    assert.ok(turns > 100, `${turns} turns`);
  });
}

test("a short call of a plain tool is judged at once", async () => {
  const { gate } = await new SessionGates(sink).of(allowAll);
  const [verdict, turns] = await turnsUntil(gate.admit(requestOf({ path: "a" }, { required: ["path"] }), 0));
  assert.equal(verdict.type, "execute");
  assert.ok(turns <= 2, `${turns} turns`);
});

test("a call that cannot be judged in its time is refused with the reason", { timeout: 60_000 }, async () => {
  const entry = new URL("data:text/javascript,for (let turns = 0; turns >= 0;) turns += 1;");
  const { gate } = await new SessionGates(sink, new JobThread({ cpuMsMax: 20, entry })).of(allowAll);
  const verdict = await gate.admit(requestOf({ a: "a" }, { properties: { a: { pattern: "a" } } }), 0);
  assert.equal(verdict.type, "deny");
  assert.match(
    (verdict as { message?: string }).message ?? "",
    /^Cannot judge the call: it took more than 20 ms of processor time; make it shorter$/,
  );
});
