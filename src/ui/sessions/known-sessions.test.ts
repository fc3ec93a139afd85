import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session, DaemonUpdate } from "../../client.ts";
import type { SessionApproval } from "../../protocol/views.ts";
import { learn, nothingKnown } from "./known-sessions.ts";

// Only what is looked at here.
const session = (id: string, end = 0): Session => ({ id, name: id, end, status: null, writer: null }) as Session;
const approval = { session: "a", id: "q1" } as SessionApproval;
const status = (of: string, state: string): DaemonUpdate =>
  ({ kind: "status", session: of, status: { state, summary: "", sinceUs: 1, agent: null } }) as DaemonUpdate;

test("a list replaces all that was known", () => {
  const before = learn(nothingKnown, [{ kind: "session", session: "gone", view: session("gone") }]);
  const after = learn(before, [{ kind: "list", sessions: [session("a")], approvals: [approval] }]);
  assert.deepEqual([...after.sessions.keys()], ["a"]);
  assert.deepEqual(after.approvals, [approval]);
});

test("sessions come, change and go, and those that did not change are the same", () => {
  const known = learn(nothingKnown, [{ kind: "list", sessions: [session("a"), session("b")], approvals: [approval] }]);
  const changed = learn(known, [
    { kind: "activity", session: "a", end: 7, viewers: 1, writer: "keyboard" },
    status("a", "working"),
    { kind: "approvals", approvals: [] },
  ]);
  assert.deepEqual(
    [changed.sessions.get("a")?.end, changed.sessions.get("a")?.writer, changed.sessions.get("a")?.status?.state],
    [7, "keyboard", "working"],
  );
  assert.equal(changed.sessions.get("b"), known.sessions.get("b"));
  assert.deepEqual(changed.approvals, []);
  assert.deepEqual([...learn(changed, [{ kind: "session", session: "a", view: null }]).sessions.keys()], ["b"]);
});

test("what is told of a session that was removed does not bring it back", () => {
  assert.equal(learn(nothingKnown, [status("gone", "working")]).sessions.size, 0);
});
