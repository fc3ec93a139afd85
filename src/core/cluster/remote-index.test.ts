import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { RemoteIndex, type IndexChange, type IndexedQuestion, type IndexedSession } from "./remote-index.ts";

type Index = RemoteIndex<IndexedSession, IndexedQuestion>;

let index: Index = new RemoteIndex();
const run = (id: string): IndexedSession => ({ id, state: "running" });

beforeEach(() => {
  index = new RemoteIndex();
});

function presence(state: "here" | "away", nowMs = 0): string[] {
  const effects = index.step({ type: "presence", presence: { machine: "box", state, sinceMs: 0, reason: "" } }, nowMs);
  return effects.map(({ type }) => type);
}

function snapshot(revision: number, ids: readonly string[], boot = "1"): string[] {
  const sessions = ids.map(run);
  const questions = [{ id: "q", session: "a" }];
  return index
    .step({ type: "snapshot", machine: "box", boot, revision, sessions, questions }, 0)
    .map(({ type }) => type);
}

const change = (revision: number, one: IndexChange<IndexedSession, IndexedQuestion>, nowMs = 0, boot = "1"): string[] =>
  index.step({ type: "change", machine: "box", boot, revision, change: one }, nowMs).map(({ type }) => type);

const shown = (): string[] =>
  index.sessions().map(({ machine, session, state }) => `${machine}/${session.id} ${state}`);

test("a machine that is here is fetched, and its changes are followed", () => {
  assert.deepEqual(presence("here"), ["changed", "fetch"]);
  assert.ok(!index.isCurrent("box"));
  assert.deepEqual(snapshot(4, ["a"]), ["changed"]);
  assert.ok(index.isCurrent("box"));
  assert.deepEqual(change(5, { kind: "session", session: run("b") }), ["changed"]);
  change(6, { kind: "session-removed", id: "a" });
  change(7, { kind: "question", question: { id: "r", session: "b" } });
  change(8, { kind: "question-closed", id: "q" });
  assert.deepEqual(shown(), ["box/b running"]);
  assert.deepEqual(index.questions(), [{ machine: "box", question: { id: "r", session: "b" } }]);
});

test("a change that does not follow what is known is not applied: the snapshot is fetched again", () => {
  presence("here");
  snapshot(4, ["a"]);
  assert.deepEqual(change(4, { kind: "session-removed", id: "a" }), []);
  assert.deepEqual(change(6, { kind: "session-removed", id: "a" }), ["fetch"]);
  assert.deepEqual(change(7, { kind: "session-removed", id: "a" }), []);
  assert.deepEqual(shown(), ["box/a running"]);
  snapshot(7, []);
  assert.deepEqual(shown(), []);
  assert.deepEqual(change(1, { kind: "session", session: run("a") }, 0, "2"), ["fetch"]);
});

test("a heartbeat with a higher revision shows that the last change was lost", () => {
  presence("here");
  snapshot(4, ["a"]);
  const beat = (revision: number): unknown[] =>
    index.step({ type: "revision", machine: "box", boot: "1", revision }, 0);
  assert.deepEqual(beat(4), []);
  assert.deepEqual(beat(5), [{ type: "fetch", machine: "box" }]);
});

test("nothing of a machine that is away is running, and none of its questions is open", () => {
  presence("here");
  snapshot(1, ["a"]);
  change(2, { kind: "session", session: { id: "b", state: "exited" } });
  assert.deepEqual(presence("away"), ["changed"]);
  assert.deepEqual(shown(), ["box/a unreachable", "box/b exited"]);
  assert.deepEqual(index.questions(), []);
  assert.deepEqual(presence("here"), ["changed", "fetch"]);
  assert.deepEqual(shown(), ["box/a running", "box/b exited"]);
});

test("a snapshot that does not come is fetched again, and a late one replaces nothing", () => {
  presence("here", 0);
  assert.equal(index.wakeAtMs, 2000);
  assert.deepEqual(index.step({ type: "tick" }, 1999), []);
  assert.deepEqual(index.step({ type: "tick" }, 2000), [{ type: "fetch", machine: "box" }]);
  snapshot(5, ["a"]);
  assert.equal(index.wakeAtMs, undefined);
  assert.deepEqual(snapshot(4, []), []);
  assert.deepEqual(shown(), ["box/a running"]);
});

test("what exceeds a limit is left out and counted", () => {
  index = new RemoteIndex({ sessionsPerMachineMax: 2, questionsPerMachineMax: 1, machinesMax: 1 });
  presence("here");
  snapshot(1, ["a", "b", "c"]);
  assert.equal(index.omitted("box"), 1);
  change(2, { kind: "session", session: run("d") });
  change(3, { kind: "session", session: { id: "a", state: "exited" } });
  change(4, { kind: "question", question: { id: "r", session: "b" } });
  assert.equal(index.omitted("box"), 3);
  assert.deepEqual(shown(), ["box/a exited", "box/b running"]);
  const other = { machine: "other", state: "here", sinceMs: 0, reason: "" } as const;
  assert.deepEqual(index.step({ type: "presence", presence: other }, 0), []);
  presence("away");
  assert.equal(index.step({ type: "presence", presence: other }, 0).length, 2);
  assert.deepEqual(shown(), []);
});
