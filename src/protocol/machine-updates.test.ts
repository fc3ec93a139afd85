import assert from "node:assert/strict";
import { test } from "node:test";
import { updateOn } from "./machine-updates.ts";
import type { Session } from "./session.ts";
import type { SessionApproval } from "./views.ts";

const session = { id: "abcd", name: "work", parent: "efgh", continues: "ijkl", continuedBy: null } as Session;
const there = { id: "box/abcd", name: "box/work", parent: "box/efgh", continues: "box/ijkl", continuedBy: null };

test("sessions of a machine have it in front of id, name, parent and the session that it continues", () => {
  assert.deepEqual(updateOn("box", { kind: "session", session: "abcd", view: session }), {
    kind: "session",
    machine: "box",
    session: "box/abcd",
    view: there,
  });
  assert.deepEqual(updateOn("box", { kind: "session", session: "abcd", view: null }), {
    kind: "session",
    machine: "box",
    session: "box/abcd",
    view: null,
  });
});

test("a list has its sessions and questions by the references that they have here", () => {
  const approval = { session: "abcd", id: "q1" } as SessionApproval;
  const shown = { approvals: [approval], hints: [approval] };
  const asked = { ...approval, session: "box/abcd" };
  const questions = { machine: "box", approvals: [asked], hints: [asked] };
  assert.deepEqual(updateOn("box", { kind: "list", sessions: [session], ...shown }), {
    kind: "list",
    sessions: [there],
    ...questions,
  });
  assert.deepEqual(updateOn("box", { kind: "approvals", ...shown }), { kind: "approvals", ...questions });
});

test("a change keeps what it is, and names its machine", () => {
  const usage = { requests: 1, input: 2, output: 3, cachedInput: 0, reasoning: 0, costUsd: null };
  assert.deepEqual(updateOn("box", { kind: "usage", session: "abcd", offset: 1, timeUs: 2, usage }), {
    kind: "usage",
    machine: "box",
    session: "box/abcd",
    offset: 1,
    timeUs: 2,
    usage,
  });
  assert.deepEqual(updateOn("box", { kind: "audit" }), { kind: "audit", machine: "box" });
});
