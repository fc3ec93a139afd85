import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { AcpFold, type AcpSide, type DriverEvent } from "./acp-fold.ts";
import { AcpLines } from "./acp-lines.ts";

type Sent = readonly [AcpSide, object | string];

const update = (fields: object): object => ({ method: "session/update", params: { sessionId: "s", update: fields } });
const chunk = (kind: string, text: string, messageId?: string): object =>
  update({ sessionUpdate: kind, content: { type: "text", text }, messageId });
const lineOf = (message: object | string): string =>
  `${typeof message === "string" ? message : JSON.stringify(message)}\n`;

/** What both sides send, cut into pieces of these lengths. */
function fold(sent: readonly Sent[], lengths: readonly number[] = [1e9], isSavedBetween = false): DriverEvent[] {
  let state = new AcpFold();
  const lines = { client: new AcpLines(), agent: new AcpLines() };
  let count = 0;
  return sent.flatMap(([side, message]) => {
    const bytes = Buffer.from(lineOf(message));
    const events: DriverEvent[] = [];
    for (let at = 0; at < bytes.length; count += 1) {
      const next = at + (lengths[count % lengths.length] ?? 1);
      for (const line of lines[side].feed(bytes.subarray(at, next))) events.push(...state.step(side, line));
      at = next;
      if (isSavedBetween) state = new AcpFold(JSON.parse(JSON.stringify(state.save())) as ReturnType<AcpFold["save"]>);
    }
    return events;
  });
}

const prompt: Sent = [
  "client",
  { id: 2, method: "session/prompt", params: { prompt: [{ type: "text", text: "make a file" }] } },
];
const permission: Sent = [
  "agent",
  {
    id: 0,
    method: "session/request_permission",
    params: {
      sessionId: "s",
      toolCall: { toolCallId: "c1", title: "touch a", rawInput: { command: "touch a" } },
      options: [
        { optionId: "proceed_once", name: "Allow", kind: "allow_once" },
        { optionId: "proceed_mode", name: "Allow, and edit freely", kind: "allow_once" },
      ],
    },
  },
];

/** A turn with everything that six agents were seen to send. */
const turn: readonly Sent[] = [
  ["agent", "pi v0.87.1"],
  ["client", { id: 0, method: "initialize", params: { protocolVersion: 1 } }],
  ["agent", { id: 0, result: { protocolVersion: 1 } }],
  prompt,
  ["agent", chunk("agent_thought_chunk", "I should ")],
  ["agent", chunk("agent_message_chunk", "I will ", "m1")],
  ["agent", chunk("agent_message_chunk", "do it", "m1")],
  ["agent", chunk("agent_message_chunk", "Now:", "m2")],
  permission,
  ["client", { id: 0, result: { outcome: { outcome: "selected", optionId: "proceed_mode" } } }],
  ["agent", update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "in_progress", rawInput: {} })],
  [
    "agent",
    update({
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "completed",
      title: null,
      content: [
        { type: "content", content: { type: "text", text: "done" } },
        { type: "diff", path: "/a" },
      ],
    }),
  ],
  ["agent", { id: 2, result: { stopReason: "end_turn" } }],
  ["agent", update({ sessionUpdate: "usage_update", used: 1, size: 2 })],
  ["agent", { id: 9, method: "craft/drainMidTurnQueue" }],
  ["agent", update({ sessionUpdate: "of_a_later_version" })],
  ["agent", update({ sessionUpdate: "notice", severity: "warning", title: "Low", description: "on credit" })],
];

const brief = (event: DriverEvent): string => {
  if (event.type === "text") return `${event.role} ${event.message}: ${event.text}`;
  if (event.type === "tool")
    return `tool ${event.tool.call} ${event.tool.title} ${event.tool.state} ${event.tool.input}`;
  if (event.type === "question")
    return `question ${event.question.id} ${event.question.options.map(({ id }) => id).join(",")}`;
  if (event.type === "question-gone") return `question-gone ${event.question.id} ${event.option}`;
  return Object.values(event).join(" ");
};

test("a turn becomes events: messages by their id, a tool call that a question introduces, the option by its id", () => {
  const input = '{"command":"touch a"}';
  assert.deepEqual(fold(turn).map(brief), [
    "noise pi v0.87.1",
    "raw initialize",
    "turn-start 2 make a file",
    "thought 1: I should ",
    "assistant 2: I will ",
    "assistant 2: do it",
    "assistant 3: Now:",
    `tool c1 touch a pending ${input}`,
    "question 0 proceed_once,proceed_mode",
    "question-gone 0 proceed_mode",
    `tool c1 touch a in_progress ${input}`,
    `tool c1 touch a completed ${input}`,
    "turn-end 2 end_turn ",
    "raw usage_update",
    "raw craft/drainMidTurnQueue",
    "raw of_a_later_version",
    "notice warning Low: on credit",
  ]);
  const output = fold(turn).findLast((event) => event.type === "tool")?.tool.output;
  assert.equal(output, "done\n[diff /a]");
});

test("the same events at any chunking, and from a state that was saved", () => {
  const whole = fold(turn);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), fc.boolean(), (lengths, isSaved) =>
      assert.deepEqual(fold(turn, lengths, isSaved), whole),
    ),
    { numRuns: 50 },
  );
});

test("a question ends with an answer without an option, an error, or when the agent withdraws it", () => {
  const gone = (sent: Sent): string => fold([permission, sent]).map(brief).at(-1) ?? "";
  const nothing = "question-gone 0 null";
  assert.equal(gone(["client", { id: 0, result: { outcome: { outcome: "cancelled" } } }]), nothing);
  assert.equal(gone(["client", { id: 0, error: { code: 1, message: "no" } }]), nothing);
  assert.equal(gone(["agent", { method: "$/cancel_request", params: { requestId: 0 } }]), nothing);
  assert.equal(fold([permission, ["client", { id: "0", result: {} }]]).length, 2);
});

test("a question is withdrawn with the turn that was cancelled, by another one with its id, and as the oldest of many", () => {
  const cancelled: Sent = ["agent", { id: 2, result: { stopReason: "cancelled" } }];
  const late: Sent = ["client", { id: 0, result: { outcome: { outcome: "cancelled" } } }];
  assert.deepEqual(fold([prompt, permission, cancelled, late]).slice(3).map(brief), [
    "question-gone 0 null",
    "turn-end 2 cancelled ",
  ]);
  const ended: Sent = ["agent", { id: 2, result: { stopReason: "end_turn" } }];
  assert.deepEqual(fold([prompt, permission, ended]).slice(3).map(brief), ["turn-end 2 end_turn "]);
  const other: Sent = ["client", { id: 3, method: "session/prompt", params: { prompt: [] } }];
  assert.deepEqual(fold([prompt, other, permission, cancelled]).slice(4).map(brief), ["turn-end 2 cancelled "]);
  assert.equal(brief(fold([permission, permission])[2] as DriverEvent), "question-gone 0 null");
  const many = Array.from({ length: 101 }, (_, id): Sent => ["agent", { ...(permission[1] as object), id }]);
  assert.deepEqual(
    fold(many)
      .filter(({ type }) => type === "question-gone")
      .map(brief),
    ["question-gone 0 null"],
  );
});

test("the beginning of a message that is too long is read, but asks nothing", () => {
  const step = (from: AcpSide, text: string): string[] => {
    const lines = new AcpLines(120).feed(Buffer.from(`${text}${"x".repeat(200)}"}\n`));
    return lines.flatMap((line) => state.step(from, line)).map(brief);
  };
  const state = new AcpFold();
  const [begun] = step("client", '{"id":1,"method":"session/prompt","params":{"prompt":[{"type":"text","text":"look: ');
  assert.match(begun ?? "", /^turn-start 1 look: x+ \[cut: the rest is in the journal\]$/);
  assert.equal(state.hasTurn, true);
  const asked = step(
    "agent",
    '{"id":5,"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","title":"',
  );
  assert.deepEqual(asked, ["notice warning A question is too long to be shown: answer it in the editor"]);
  assert.deepEqual(
    [step("agent", '{"id":1,"result":{"stopReason":"end_turn","_meta":"'), state.hasTurn],
    [["turn-end 1 end_turn "], false],
  );
  assert.deepEqual(step("agent", "noise "), ["raw "]);
});

test("a turn that fails ends with the error, and nothing that either side sends is fatal", () => {
  const failed = fold([prompt, ["agent", { id: 2, error: { code: -32603, message: "overloaded" } }]]);
  assert.deepEqual(failed.at(-1), { type: "turn-end", turn: "2", stop: "error", message: "overloaded" });
  const side = fc.constantFrom<AcpSide>("client", "agent");
  const method = fc.constantFrom("session/update", "session/prompt", "session/request_permission", "$/cancel_request");
  const message = fc.record({ id: fc.anything(), method, params: fc.anything(), result: fc.anything() });
  fc.assert(fc.property(fc.array(fc.tuple(side, message)), (sent) => void fold(sent)));
});
