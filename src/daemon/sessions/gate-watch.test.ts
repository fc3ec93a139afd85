import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { ChatMessage } from "../../core/chat/message.ts";
import type { ViewChange } from "../../core/views/change.ts";
import type { SessionGate } from "../../protocol/session.ts";
import { GateWatch, type GateWatchOptions } from "./gate-watch.ts";

function watch(
  { mock }: TestContext,
  options: Partial<GateWatchOptions> = {},
): {
  readonly gate: GateWatch;
  readonly states: string[];
  readonly after: (ms: number) => void;
} {
  mock.timers.enable({ apis: ["Date", "setTimeout"], now: 1_000_000 });
  const states: string[] = [];
  const onState: GateWatchOptions["onState"] = ({ state }) => states.push(state);
  const gate = new GateWatch({ policyHash: null, mode: "enforce", onState, ...options });
  mock.timers.tick(60_000);
  const after = (ms: number): void => {
    // In steps: a timer may start another one.
    for (let passed = 0; passed < ms; passed += 100) mock.timers.tick(100);
  };
  return { gate, states, after };
}

const nowUs = (): number => Date.now() * 1000;

function said(role: ChatMessage["role"], text: string, more: Partial<ChatMessage> = {}): ViewChange {
  const timeUs = more.timeUs ?? nowUs();
  const common = {
    agent: "claude",
    source: "screen",
    isPartial: false,
    isIncomplete: false,
    offset: 0,
    end: 0,
  } as const;
  return {
    kind: "message",
    offset: 0,
    timeUs,
    message: { id: text, role, text, ...common, timeUs, endTimeUs: timeUs, ...more },
  };
}

function working(state: "working" | "waiting"): ViewChange {
  const status = { state, summary: "", sinceUs: nowUs(), offset: 0, agent: "claude", approval: null, evidence: [] };
  return { kind: "status", offset: 0, timeUs: nowUs(), status };
}

test("GateWatch reports an answer, a tool call and long work without a request since the prompt", (context) => {
  const evidence: readonly ((gate: GateWatch) => void)[] = [
    (gate) => gate.take(said("assistant", "Hello")),
    (gate) => gate.take(said("tool-call", "", { text: "Bash(ls)", tool: { name: "Bash", input: "ls", call: null } })),
    (gate) => gate.take(working("working")),
  ];
  for (const show of evidence) {
    const { after, gate, states } = watch(context);
    gate.take(said("user", "Do it"));
    after(500);
    show(gate);
    after(900);
    assert.deepEqual(states, []);
    after(10_000);
    assert.deepEqual(states, ["not-gated"]);
    gate.begin();
    assert.deepEqual(states, ["not-gated", "on"]);
    assert.deepEqual([gate.facts.requests, gate.facts.evidence], [1, null]);
    context.mock.timers.reset();
  }
});

test("GateWatch takes no input of the agent itself, no welcome, no history and no turn of the gateway for one", (context) => {
  const { after, gate, states } = watch(context);
  gate.take(said("welcome", "Welcome"));
  gate.take(said("assistant", "Hello"));
  gate.take(said("user", "Old", { timeUs: 5 }));
  gate.take(said("assistant", "Old answer", { timeUs: 6 }));
  for (const local of ["/help", "!ls"]) {
    gate.take(said("user", local));
    gate.take(working("working"));
    gate.take(said("assistant", `Answer to ${local}`));
    after(40_000);
  }
  gate.take(said("command", "clear"));
  gate.take(said("assistant", "Cleared"));
  after(10_000);
  gate.take(said("user", "Do it"));
  after(100);
  gate.begin();
  gate.take(working("working"));
  after(60_000);
  gate.take(said("user", "And this, as soon as you can"));
  after(20_000);
  gate.end(2);
  gate.take(said("assistant", "Done"));
  after(10_000);
  assert.deepEqual(states, []);
  assert.deepEqual([gate.facts.state, gate.facts.requests, gate.facts.calls], ["on", 1, 2]);
});

test("GateWatch reports work without a prompt on the screen only after long", (context) => {
  const { after, gate, states } = watch(context);
  gate.take(working("working"));
  after(20_000);
  gate.take(working("waiting"));
  after(60_000);
  assert.deepEqual(states, []);
  gate.take(working("working"));
  after(40_000);
  assert.deepEqual(states, ["not-gated"]);
});

test("GateWatch reports the first turn and work within 5 s, and work later where a report ends the session", (context) => {
  for (const [mustGate, show, beforeMs] of [
    [false, "answer", 900],
    [true, "answer", 900],
    [false, "work", 4900],
    [true, "work", 8900],
  ] as const) {
    const { after, gate, states } = watch(context, { mustGate });
    gate.take(said("user", "Do it"));
    gate.take(show === "work" ? working("working") : said("assistant", "Hello"));
    after(beforeMs);
    assert.deepEqual(states, []);
    after(200);
    assert.deepEqual(states, ["not-gated"]);
    context.mock.timers.reset();
  }
});

test("GateWatch reports what ends without a request, unless it is an agent that nobody asked anything", (context) => {
  const statesOf = (options: Partial<GateWatchOptions>, before: (gate: GateWatch) => void): readonly string[] => {
    const { gate, states } = watch(context, options);
    before(gate);
    gate.finish();
    gate.finish();
    context.mock.timers.reset();
    return states;
  };
  const program = { endsWithRequest: true };
  assert.deepEqual(
    [
      statesOf(program, () => undefined),
      statesOf(program, (gate) => gate.begin()),
      statesOf({}, () => undefined),
      statesOf({}, (gate) => gate.take(said("user", "/help"))),
      // It ends before the second after which an answer is reported.
      statesOf({}, (gate) => gate.take(said("user", "Who are you?"))),
    ],
    [["not-gated"], [], [], [], ["not-gated"]],
  );
});

test("GateWatch goes on with what an earlier daemon knew, and reports its counts", (context) => {
  const known = {
    state: "not-gated",
    evidence: "why",
    policyHash: null,
    mode: "enforce",
    requests: 3,
    calls: 2,
    lastRequestAt: null,
  } as const;
  const counts: SessionGate[] = [];
  const { after, gate, states } = watch(context, { known, onCounts: (facts) => counts.push(facts) });
  assert.deepEqual(gate.facts, known);
  gate.begin();
  assert.deepEqual([states, gate.facts.state, gate.facts.requests], [["on"], "on", 4]);
  gate.end(2);
  gate.begin();
  assert.equal(counts.length, 0);
  after(1000);
  assert.deepEqual(
    counts.map(({ calls, requests }) => [calls, requests]),
    [[4, 5]],
  );
  gate.begin();
  gate[Symbol.dispose]();
  assert.deepEqual(
    counts.map(({ requests }) => requests),
    [5, 6],
  );
});
