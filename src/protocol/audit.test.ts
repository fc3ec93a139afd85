import assert from "node:assert/strict";
import { test } from "node:test";
import { auditRowSchema, chainedRowSchema, shownRow } from "./audit.ts";

const start = { type: "start", session: "s", call: "c", timeMs: 1, executor: "agent" } as const;

test("a row takes what it knows, and nothing beside it", () => {
  assert.deepEqual(auditRowSchema.parse(start), start);
  assert.equal(auditRowSchema.safeParse({ ...start, more: 1 }).success, false);
  assert.equal(auditRowSchema.safeParse({ ...start, call: "" }).success, false);
  assert.equal(auditRowSchema.safeParse({ ...start, executor: "x".repeat(2000) }).success, false);
});

test("a row in its place is shown whole", () => {
  const chained = { sequence: 1, row: start, previous: "0", hash: "1" };
  assert.deepEqual(chainedRowSchema.parse(shownRow(chained)), chained);
});
