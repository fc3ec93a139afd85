import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session, DaemonUpdate } from "../../client.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import type { SessionApproval } from "../../protocol/views.ts";
import { isReachable, learn, nothingKnown } from "./known-sessions.ts";

// Only what is looked at here.
const session = (id: string, end = 0): Session => ({ id, name: id, end, status: null, writer: null }) as Session;
const approval = { session: "a", id: "q1" } as SessionApproval;
const status = (of: string, state: string): DaemonUpdate =>
  ({ kind: "status", session: of, status: { state, summary: "", sinceUs: 1, agent: null } }) as DaemonUpdate;

test("a list replaces all that was known", () => {
  const before = learn(nothingKnown, [{ kind: "session", session: "gone", view: session("gone") }]);
  const after = learn(before, [{ kind: "list", sessions: [session("a")], approvals: [approval], hints: [] }]);
  assert.deepEqual([...after.sessions.keys()], ["a"]);
  assert.deepEqual(after.approvals, [approval]);
});

test("sessions come, change and go, and those that did not change are the same", () => {
  const known = learn(nothingKnown, [
    { kind: "list", sessions: [session("a"), session("b")], approvals: [approval], hints: [] },
  ]);
  const changed = learn(known, [
    { kind: "activity", session: "a", end: 7, viewers: 1, writer: "keyboard" },
    status("a", "working"),
    { kind: "approvals", approvals: [], hints: [] },
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

const machine = (state: MachineInfo["state"]): DaemonUpdate => ({
  kind: "machine",
  machine: "box",
  view: { name: "box", state } as MachineInfo,
});
const onBox = { session: "box/a", id: "q2" } as SessionApproval;
const boxList: DaemonUpdate = {
  kind: "list",
  machine: "box",
  sessions: [session("box/a")],
  approvals: [onBox],
  hints: [],
};

test("a list of a machine replaces what was known of that machine only", () => {
  const local = { kind: "list", sessions: [session("a")], approvals: [approval], hints: [] } as const;
  const known = learn(nothingKnown, [local, machine("connected"), boxList]);
  assert.deepEqual(
    [[...known.sessions.keys()], known.approvals],
    [
      ["a", "box/a"],
      [approval, onBox],
    ],
  );
  const again = learn(known, [{ ...boxList, sessions: [session("box/b")], approvals: [] }]);
  assert.deepEqual([[...again.sessions.keys()], again.approvals], [["a", "box/b"], [approval]]);
  const answered = learn(known, [{ kind: "approvals", approvals: [], hints: [] }]);
  assert.deepEqual(answered.approvals, [onBox]);
});

test("a machine that is away keeps its sessions, which are not reachable; one that was removed takes them along", () => {
  const known = learn(nothingKnown, [machine("connected"), boxList]);
  assert.equal(isReachable(known, "box/a"), true);
  const away = learn(known, [machine("away")]);
  assert.deepEqual(
    [[...away.sessions.keys()], isReachable(away, "box/a"), isReachable(away, "a")],
    [["box/a"], false, true],
  );
  const removed = learn(away, [{ kind: "machine", machine: "box", view: null }]);
  assert.deepEqual([removed.sessions.size, removed.machines.size, removed.approvals.length], [0, 0, 0]);
});

test("a connection that begins again keeps the sessions of the machines that there still are", () => {
  const known = learn(nothingKnown, [machine("connected"), boxList]);
  const away = { name: "box", state: "away" } as MachineInfo;
  const list = { kind: "list", sessions: [session("a")], approvals: [], hints: [] } as const;
  const again = learn(known, [{ ...list, machines: [away] }]);
  assert.deepEqual([[...again.sessions.keys()], isReachable(again, "box/a")], [["box/a", "a"], false]);
  assert.deepEqual([...learn(again, [{ ...list, machines: [] }]).sessions.keys()], ["a"]);
});
