import assert from "node:assert/strict";
import { test } from "node:test";
import { wireApproval, wireRequest, wireToolCall, wireTurn } from "../../../../test/marks.ts";
import type { Mark } from "../../../core/records.ts";
import type { StatusState } from "../../../core/status/status.ts";
import { SessionSpans, type SessionSpansOptions, type SpanItem, chatSpan } from "./session-spans.ts";
import type { OtlpSpan } from "./span.ts";

/** Enough for a test: 32 hex digits that depend on all of the text. */
function hash(text: string): string {
  let value = 7n;
  for (const char of text) value = (value * 1_000_003n + BigInt(char.codePointAt(0) ?? 0)) % (1n << 128n);
  return value.toString(16).padStart(32, "0").split("").toReversed().join("");
}

const options: SessionSpansOptions = { session: "s1", name: "work", parent: null, hash, content: null };

const mark = (timeUs: number, event: Mark): SpanItem => ({ type: "mark", timeUs, mark: event });
const status = (sinceUs: number, state: StatusState, agent: string | null = "claude"): SpanItem => ({
  type: "status",
  timeUs: sinceUs,
  status: { state, summary: "", sinceUs, offset: 0, agent, approval: null, evidence: [] },
});
const usage = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 1, cacheWriteTokens: 0, reasoningTokens: 0 };

/** A turn with a call that was allowed, one that was refused, and a question in between. */
const turn: readonly SpanItem[] = [
  status(100, "working"),
  mark(110, wireRequest({ exchange: "x1", model: "m", parts: [{ type: "user", text: "do it" }] })),
  mark(150, wireToolCall({ call: "c1", tool: "shell", effect: "ask", decidedBy: "ask-push", argumentsText: "{}" })),
  mark(150, wireToolCall({ call: "c2", tool: "shell", effect: "deny", decidedBy: "no-rm" })),
  mark(160, wireApproval({ call: "c1", approval: "q1", state: "open" })),
  mark(170, wireApproval({ call: "c1", approval: "q1", state: "allowed", by: "anna" })),
  mark(
    200,
    wireTurn({ exchange: "x1", model: "m-1", finish: "tool_calls", calls: ["c1", "c2"], refused: ["c2"], usage }),
  ),
  mark(300, wireRequest({ exchange: "x2", model: "m", parts: [result("c1", "done")] })),
  mark(400, wireTurn({ exchange: "x2", model: "m-1", usage, costUsd: 0.5, firstTokenMs: 20 })),
  status(450, "waiting"),
];

function result(call: string, text: string) {
  return { type: "tool-result", call, tool: null, text, isError: false } as const;
}

const spansOf = (items: readonly SpanItem[], given = options): OtlpSpan[] => {
  const spans = new SessionSpans(given);
  return items.flatMap((item) => spans.step(item));
};

const short = ({ endTimeUnixNano, name, startTimeUnixNano }: OtlpSpan): string =>
  `${name} ${Number(startTimeUnixNano) / 1000}-${Number(endTimeUnixNano) / 1000}`;

const valueOf = ({ attributes }: Pick<OtlpSpan, "attributes">, key: string): unknown => {
  const value = attributes.find((attribute) => attribute.key === key)?.value;
  return value === undefined ? undefined : Object.values(value)[0];
};

test("a turn is a span with its requests and calls inside, and the question as events", () => {
  const spans = spansOf(turn);
  assert.deepEqual(spans.map(short), [
    "chat m 110-200",
    "execute_tool shell 150-200",
    "execute_tool shell 150-300",
    "chat m 300-400",
    "invoke_agent claude 100-450",
  ]);
  const root = spans.at(-1);
  assert.ok(root !== undefined && root.parentSpanId === undefined);
  for (const span of spans.slice(0, -1)) {
    assert.equal(span.traceId, root.traceId);
    assert.equal(span.parentSpanId, root.spanId);
  }
  assert.deepEqual(
    root.events.map(({ name, timeUnixNano }) => `${name} ${timeUnixNano}`),
    ["lectern.blocked 160000", "lectern.unblocked 170000"],
  );
  assert.equal(valueOf(root.events[1] ?? { attributes: [] }, "lectern.question.answered_by"), "anna");
  assert.deepEqual(
    ["gen_ai.usage.input_tokens", "lectern.usage.cost_usd", "lectern.usage.unpriced_requests"].map((key) =>
      valueOf(root, key),
    ),
    ["20", 0.5, "1"],
  );
});

test("a refused call is an error by its rule, an allowed one ends with its result", () => {
  const [, refused, allowed] = spansOf(turn);
  assert.ok(refused !== undefined && allowed !== undefined);
  assert.deepEqual(
    [valueOf(refused, "error.type"), refused.status.code, valueOf(refused, "lectern.policy.rule")],
    ["denied", 2, "no-rm"],
  );
  assert.deepEqual([valueOf(allowed, "error.type"), allowed.status.code], [undefined, 0]);
});

test("no text is in a span unless the caller wants it, and then after the caller's mask", () => {
  assert.doesNotMatch(JSON.stringify(spansOf(turn)), /do it|gen_ai\.(?:input|output)\.messages|arguments/);
  const withContent = spansOf(turn, { ...options, content: (text) => text.replace("do it", "[masked]") });
  const text = JSON.stringify(withContent);
  assert.match(text, /\[masked\]/);
  assert.match(text, /gen_ai\.tool\.call\.result/);
  assert.doesNotMatch(text, /do it/);
});

test("spans are the same wherever the state was saved in between, and when facts are read twice", () => {
  const whole = spansOf(turn);
  for (let cut = 0; cut <= turn.length; cut++) {
    const first = new SessionSpans(options);
    const before = turn.slice(0, cut).flatMap((item) => first.step(item));
    const saved = JSON.parse(JSON.stringify(first.save())) as ReturnType<SessionSpans["save"]>;
    const second = new SessionSpans(options, saved);
    const again = turn.slice(0, cut).filter(({ type }) => type === "status");
    const after = [...again, ...turn.slice(cut)].flatMap((item) => second.step(item));
    assert.deepEqual([...before, ...after], whole, `cut at ${cut}`);
  }
});

test("a status that is reported after the first request moves the start of the turn, and not its ids", () => {
  const [request, ...rest] = turn.slice(1);
  assert.ok(request !== undefined);
  const late = spansOf([request, status(100, "working"), ...rest]);
  assert.deepEqual(late, spansOf(turn));
});

test("each turn has a trace of its own, or the one that the session was started in", () => {
  const later = [status(500, "working"), status(600, "waiting")];
  const traces = spansOf([...turn, ...later])
    .filter(({ name }) => name.startsWith("invoke_agent"))
    .map(({ traceId }) => traceId);
  assert.equal(new Set(traces).size, 2);
  const parent = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
  for (const span of spansOf(later, { ...options, parent }))
    assert.deepEqual([span.traceId, span.parentSpanId], [parent.traceId, parent.spanId]);
});

test("a program that ends closes its calls and its turn, and a shell has a span for each command", () => {
  const cut = spansOf([...turn.slice(0, 7), { type: "exit", timeUs: 900 }]);
  assert.deepEqual(cut.slice(-2).map(short), ["execute_tool shell 150-900", "invoke_agent claude 100-900"]);
  assert.equal(valueOf(cut.at(-1) ?? { attributes: [] }, "lectern.turn.end"), "exited");
  const message = {
    id: "m1",
    role: "shell",
    agent: null,
    text: "",
    source: "screen",
    isPartial: false,
    isIncomplete: false,
    offset: 0,
    end: 0,
    timeUs: 5,
    endTimeUs: 9,
    shell: { command: "false", exitCode: 1 },
  } as const;
  const item: SpanItem = { type: "message", timeUs: 9, message };
  const commands = spansOf([status(1, "working", null), item, item, status(9, "waiting", null)]);
  assert.deepEqual(commands.map(short), ["execute_tool shell 5-9"]);
  assert.equal(valueOf(commands[0] ?? { attributes: [] }, "process.exit.code"), "1");
});

const open = {
  traceId: "a".repeat(32),
  dialect: "gemini",
  model: "g",
  startUs: 10,
  prompt: null,
  conversation: {},
} as const;

test("an answer with an error is an error with its type, one of HTTP with its code", () => {
  const end = { spanId: "b".repeat(16), endUs: 5, text: null };
  const broken = chatSpan(open, wireTurn({ error: { type: "MALFORMED", message: "no JSON" }, attempts: 3 }), end);
  assert.deepEqual(broken.status, { code: 2, message: "no JSON" });
  assert.deepEqual([broken.kind, broken.startTimeUnixNano, broken.endTimeUnixNano], [3, "10000", "10000"]);
  const text = JSON.stringify(broken.attributes);
  assert.match(text, /"gcp\.gemini"/);
  assert.match(text, /"http\.request\.resend_count","value":\{"intValue":"2"\}/);
  assert.match(JSON.stringify(chatSpan(open, wireTurn({ status: 529 }), end).attributes), /"error\.type".*"529"/);
});
