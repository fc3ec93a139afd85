import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../../client.ts";
import {
  findListed,
  groupSessions,
  matchesFilter,
  needsPerson,
  type ListedSession,
  type Standing,
} from "./attention.ts";

const view = (name: string, standing: Standing, sinceMs = 0, createdAt = "2026-01-01T00:00:00Z"): ListedSession => ({
  session: {
    id: name,
    name,
    state: "running",
    command: ["bash", "-l"],
    agent: null,
    workingDirectory: "/srv/app",
    labels: { team: "core" },
    columns: 80,
    rows: 24,
    pid: 1,
    createdAt,
    endedAt: null,
    exit: null,
    start: 0,
    end: 0,
    viewers: 0,
    writer: null,
    lastMessage: null,
    usage: null,
    gate: null,
    status: null,
    degraded: null,
    unreachable: null,
    damaged: null,
    isImported: false,
    isMine: false,
    parent: null,
    trustsText: false,
    eventTag: { name: "FORGE_EVENT", bytesMax: 262_144, msMax: 30_000 },
    summaries: false,
  } satisfies Session,
  standing,
  sinceMs,
  activity: [],
});

const shape = (views: readonly ListedSession[]): string =>
  groupSessions(views)
    .map(({ key, views: members }) => `${key}: ${members.map(({ session }) => session.name).join(" ")}`)
    .join("; ");

test("groupSessions puts the blocked before the waiting, and the longest wait first", () => {
  const views = [view("w", "waiting", 1), view("b2", "blocked", 20), view("x", "exited"), view("b1", "blocked", 10)];
  assert.equal(shape(views), "needs: b1 b2 w; ended: x");
});

test("groupSessions keeps programs at their prompt apart from what waits for a person", () => {
  const views = [view("sh", "prompt", 1), view("agent", "waiting", 2), view("k", "ended"), view("f", "failed")];
  assert.equal(shape(views), "needs: agent; prompt: sh; ended: f k");
  assert.deepEqual(
    views.filter(needsPerson).map(({ session }) => session.name),
    ["agent"],
  );
});

test("groupSessions keeps sessions of a machine that does not answer apart", () => {
  assert.equal(
    shape([view("x", "exited"), view("box/a", "away"), view("a", "idle")]),
    "quiet: a; away: box/a; ended: x",
  );
});

test("groupSessions does not move a row whose program starts or stops printing within its group", () => {
  const old = "2026-01-01T00:00:00Z";
  const young = "2026-01-02T00:00:00Z";
  assert.equal(shape([view("a", "working", 0, old), view("b", "active", 0, young)]), "working: b a");
  assert.equal(shape([view("a", "active", 0, old), view("b", "working", 0, young)]), "working: b a");
});

test("matchesFilter wants all words, anywhere", () => {
  assert.ok(matchesFilter(view("build", "active"), "bui SRV team=core active"));
  assert.ok(!matchesFilter(view("build", "active"), "bui nothing"));
  assert.ok(matchesFilter(view("build", "active"), "  "));
});

test("of sessions with one name, the one that runs is meant, then the one that was not continued", () => {
  const named = (id: string, state: Session["state"], continuedBy: string | null): ListedSession => {
    const base = view("work", "ended");
    return { ...base, session: { ...base.session, id, state, continuedBy } };
  };
  const views = [named("aaaa1", "exited", "bbbb2"), named("bbbb2", "exited", null), named("cccc3", "running", null)];
  assert.equal(findListed(views, "work")?.session.id, "cccc3");
  assert.equal(findListed(views.slice(0, 2), "work")?.session.id, "bbbb2");
  assert.equal(findListed(views.slice(0, 1), "work")?.session.id, "aaaa1");
  assert.equal(findListed(views, "aaaa")?.session.id, "aaaa1");
  assert.equal(findListed(views, "aaa"), undefined);
});
