import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import { noSubject, type Approval } from "../../core/dialogs/approval.ts";
import type { Receipt } from "../../core/acting/receipt.ts";
import type { StatusState } from "../../core/status/status.ts";
import type { HostTotals } from "../../host/host-counters.ts";
import { QuestionList } from "../approvals/question-list.ts";
import { SessionEntry } from "../sessions/session-entry.ts";
import { SessionRegistry } from "../sessions/session-registry.ts";
import { DaemonMetrics } from "./daemon-metrics.ts";

const totals = (outputBytes: number): HostTotals => ({
  outputBytes,
  inputBytes: 1,
  appends: { counts: [1, 2, 0, 0, 0, 0, 0, 0, 0], sum: 0.5 },
});

/** Metrics over a registry without processes. */
function watched() {
  const registry = new SessionRegistry({
    putSession: () => Promise.resolve(),
    removeSession: () => Promise.resolve(),
  });
  const approvals = new QuestionList();
  const prompted: ((receipt: Receipt) => void)[] = [];
  const hosts = new Map<string, HostTotals>();
  const metrics = new DaemonMetrics();
  metrics.watch({
    version: "1.2.3",
    registry,
    approvals,
    views: { subscribe: () => ({ [Symbol.dispose]: () => undefined }), lagBytes: 7, lostScreens: 2 },
    prompts: {
      subscribe: (listener) => {
        prompted.push(listener);
        return { [Symbol.dispose]: () => undefined };
      },
    },
    hosts: { pids: [], totals: () => Promise.resolve(new Map(hosts)) },
    problems: { all: ["a problem"] },
    agents: { registry: builtInAgents },
    wire: { upstreamLoad: { active: 3, waiting: 2 } },
    features: { collect: () => undefined },
  });
  return { approvals, hosts, metrics, prompted, registry };
}

const entryOf = (id: string, given: Partial<SessionEntry["stored"]> = {}): SessionEntry =>
  SessionEntry.fresh(
    { id, name: id, command: ["claude"], workingDirectory: "/", state: "running", ...given },
    "/nowhere",
  );

function setStatus(entry: SessionEntry, state: StatusState, sinceUs = 0): void {
  const status = { state, summary: "", sinceUs, offset: 0, agent: "claude", approval: null, evidence: [] };
  entry.keep({ kind: "status", offset: 0, timeUs: sinceUs, status });
}

const valueOf = (text: string, series: string): number =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  );

test("sessions are counted by state and status, started ones by agent, and a lost host is a gap", async () => {
  const { metrics, registry } = watched();
  const entry = entryOf("one");
  await registry.add(entry);
  setStatus(entry, "blocked", (Date.now() - 60_000) * 1000);
  await registry.add(entryOf("two", { command: ["bash"], state: "exited" }));
  const text = await metrics.render("prometheus");
  assert.equal(valueOf(text, 'lectern_sessions{state="running",status="blocked"}'), 1);
  assert.equal(valueOf(text, 'lectern_sessions{state="exited",status="none"}'), 1);
  assert.equal(valueOf(text, 'lectern_sessions_started_total{agent="claude"}'), 1);
  assert.ok(valueOf(text, "lectern_blocked_oldest_seconds") >= 60);
  assert.equal(valueOf(text, "lectern_journal_gaps_total"), 0);
  // A time of less than a millisecond is none.
  for (const beganMs = Date.now(); Date.now() <= beganMs;) await new Promise((resolve) => setImmediate(resolve));
  entry.end({ reason: "lost", code: null, signal: null }, 0, new Date());
  await registry.save(entry);
  const after = await metrics.render("prometheus");
  assert.equal(valueOf(after, "lectern_journal_gaps_total"), 1);
  assert.ok(valueOf(after, 'lectern_status_seconds_total{agent="claude",status="blocked"}') >= 0);
});

test("requests to model servers are counted as they are on their way, wait or are refused", async () => {
  const { metrics } = watched();
  metrics.gateway.refused("busy");
  const text = await metrics.render("prometheus");
  assert.equal(valueOf(text, 'lectern_gateway_upstream_requests{state="active"}'), 3);
  assert.equal(valueOf(text, 'lectern_gateway_upstream_requests{state="waiting"}'), 2);
  assert.equal(valueOf(text, 'lectern_gateway_refused_total{reason="busy"}'), 1);
});

test("a question is counted when it is settled, with the effect of its answer, and a prompt when it is final", async () => {
  const { approvals, metrics, prompted } = watched();
  const approval: Approval = {
    ...noSubject,
    id: "q1",
    source: "wire",
    kind: "permission",
    agent: null,
    question: "?",
    details: "",
    options: [{ id: "1", label: "Yes", effect: "allow" }],
    selected: null,
    isComplete: true,
    offset: 0,
    timeUs: (Date.now() - 30_000) * 1000,
    state: "open",
    whyHint: null,
    answer: null,
  };
  approvals.open({ session: "one", approval, answer: () => undefined });
  approvals.open({ session: "one", approval: { ...approval, id: "q2" }, answer: () => undefined });
  const digest = approvals.list()[0]?.digest ?? "";
  await approvals.answer({ session: "one", id: "q1", option: "1", digest, by: "anna" });
  approvals.close("one", "q2");
  const receipt: Receipt = { key: "k", session: "one", text: "", state: "working", reason: null, steps: [] };
  for (const tell of prompted) for (const state of ["working", "done"] as const) tell({ ...receipt, state });
  const text = await metrics.render("prometheus");
  const labels = 'source="wire",kind="permission",answer';
  assert.equal(valueOf(text, `lectern_approval_wait_seconds_bucket{${labels}="allow",le="15"}`), 0);
  assert.equal(valueOf(text, `lectern_approval_wait_seconds_count{${labels}="allow"}`), 1);
  assert.equal(valueOf(text, `lectern_approval_wait_seconds_count{${labels}="none"}`), 1);
  assert.equal(valueOf(text, 'lectern_prompts_total{outcome="done"}'), 1);
  assert.equal(valueOf(text, 'lectern_approvals_open{source="wire"}'), 0);
});

test("what hosts counted is added up, and does not fall when one has ended", async () => {
  const { hosts, metrics } = watched();
  hosts.set("one", totals(100)).set("two", totals(10));
  const output = 'lectern_pty_bytes_total{direction="output"}';
  assert.equal(valueOf(await metrics.render("prometheus"), output), 110);
  hosts.delete("one");
  hosts.set("two", totals(11));
  const text = await metrics.render("prometheus");
  assert.equal(valueOf(text, output), 111);
  assert.equal(valueOf(text, "lectern_journal_append_seconds_count"), 6);
  assert.equal(valueOf(text, "lectern_views_lag_bytes"), 7);
  assert.equal(valueOf(text, "lectern_problems"), 1);
});

test("5,000 sessions of 500 agents make a bounded number of series", async () => {
  const { metrics, registry } = watched();
  const states: readonly StatusState[] = ["working", "waiting", "blocked", "idle"];
  for (let index = 0; index < 5000; index++) {
    const state = index % 2 === 0 ? "running" : "exited";
    const entry = entryOf(`s${index}`, { agent: `agent-${index % 500}`, state });
    await registry.add(entry);
    setStatus(entry, states[index % states.length] ?? "working", Date.now() * 1000);
  }
  const text = await metrics.render("openmetrics");
  const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.ok(series.length < 150, `${series.length} series`);
  assert.equal(valueOf(text, 'lectern_sessions_started_total{agent="other"}'), (2500 / 250) * (250 - 40));
});
