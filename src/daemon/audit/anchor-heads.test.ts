import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditRow } from "../../core/gate/audit-chain.ts";
import { anchorHead } from "./anchor-heads.ts";

test("what is refused, asked or answered is anchored once in the journal of its session, and what is allowed is not", () => {
  const marks: string[] = [];
  const journalOf = (session: string) =>
    session === "gone"
      ? undefined
      : { markIfLive: (event: object) => marks.push(`${session} ${JSON.stringify(event)}`) };
  const decision = (session: string, effect: "allow" | "ask" | "deny"): AuditRow =>
    ({ type: "decision", session, effect }) as AuditRow;
  const rows = [
    decision("a", "allow"),
    decision("b", "deny"),
    decision("b", "ask"),
    { type: "answer", session: "c" } as AuditRow,
    { type: "start", session: "d" } as AuditRow,
    decision("gone", "deny"),
  ];
  anchorHead(rows, { sequence: 6, hash: "h" }, journalOf, (error) => assert.ifError(error));
  assert.deepEqual(
    marks,
    ["b", "c"].map((session) => `${session} {"type":"audit-head","sequence":6,"hash":"h"}`),
  );
});
