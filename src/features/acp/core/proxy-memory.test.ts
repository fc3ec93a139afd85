import assert from "node:assert/strict";
import { test } from "node:test";
import { AcpLines, type AcpLine, type RpcMessage } from "../../../core/acp/acp-lines.ts";
import type { AcpSide } from "../../../core/acp/acp-fold.ts";
import { againMethod, continuedInitialize, ProxyMemory, replayOf } from "./proxy-memory.ts";

type Sent = readonly [AcpSide, RpcMessage];

const lineOf = (message: RpcMessage): AcpLine =>
  new AcpLines().feed(Buffer.from(`${JSON.stringify(message)}\n`))[0] ?? assert.fail();

function remember(sent: readonly Sent[]): ProxyMemory {
  const memory = new ProxyMemory();
  for (const [side, message] of sent) memory.step(side, lineOf(message));
  return memory;
}

const begun: readonly Sent[] = [
  ["client", { id: 0, method: "initialize", params: { protocolVersion: 1 } }],
  ["agent", { id: 0, result: { protocolVersion: 1, agentCapabilities: { promptCapabilities: {} } } }],
  ["client", { id: 1, method: "session/new", params: { cwd: "/w", mcpServers: [] } }],
  ["agent", { id: 1, result: { sessionId: "s", modes: null } }],
];
const asked: Sent = ["agent", { id: 0, method: "session/request_permission", params: { sessionId: "s" } }];

test("the answer to initialize and the conversations are known, whether they were begun or loaded", () => {
  const memory = remember(begun);
  assert.deepEqual(memory.initialize?.params, { protocolVersion: 1 });
  assert.deepEqual(memory.session("s"), { params: { cwd: "/w", mcpServers: [] }, result: { modes: null } });
  const loaded = remember([
    ["client", { id: "lectern:1", method: "session/load", params: { sessionId: "t", cwd: "/w" } }],
    ["agent", { id: "lectern:1", result: null }],
  ]);
  assert.deepEqual(loaded.session("t"), { params: { cwd: "/w" }, result: {} });
  assert.equal(remember(begun.slice(0, 3)).session("s"), undefined);
});

test("a question is open until it is answered or withdrawn, and an answer of the other side has the same id", () => {
  assert.equal(remember([asked]).openRequests("s").length, 1);
  assert.deepEqual(remember([asked]).openRequests("other"), []);
  assert.equal(remember([asked, ["agent", { id: 0, result: {} }]]).openRequests("s").length, 1);
  assert.deepEqual(remember([asked, ["client", { id: 0, result: {} }]]).openRequests("s"), []);
  const withdrawn: Sent = ["agent", { method: "$/cancel_request", params: { requestId: 0 } }];
  assert.equal(remember([asked, withdrawn]).openRequest(0), undefined);
});

test("what was asked in a turn that was cancelled or failed is not asked again, and may still be answered", () => {
  const prompt = (id: number): Sent => ["client", { id, method: "session/prompt", params: { sessionId: "s" } }];
  const end = (more: object): Sent => ["agent", { id: 5, ...more }];
  const openAfter = (...sent: readonly Sent[]): number => remember(sent).openRequests("s").length;
  const cancelled = end({ result: { stopReason: "cancelled" } });
  assert.equal(openAfter(prompt(5), asked, cancelled), 0);
  assert.equal(openAfter(prompt(5), asked, end({ error: { code: -32_603, message: "broken" } })), 0);
  assert.equal(openAfter(prompt(5), asked, end({ result: { stopReason: "end_turn" } })), 1);
  assert.equal(openAfter(prompt(5), prompt(6), asked, cancelled), 1);
  assert.notEqual(remember([prompt(5), asked, cancelled]).openRequest(0), undefined);
});

test("a later editor is told that conversations can be loaded; a fresh agent gets one as it can", () => {
  const { initialize } = remember(begun);
  const answer = continuedInitialize(initialize ?? assert.fail());
  assert.deepEqual(answer["agentCapabilities"], { promptCapabilities: {}, loadSession: true });
  const can = (agentCapabilities: object): string | null => againMethod({ params: {}, result: { agentCapabilities } });
  assert.equal(can({ sessionCapabilities: { resume: {} }, loadSession: true }), "session/resume");
  assert.equal(can({ loadSession: true, sessionCapabilities: {} }), "session/load");
  assert.equal(can({}), null);
});

test("a conversation is shown again with the prompts of its user, and without others", () => {
  const shown = (side: AcpSide, message: RpcMessage): string =>
    Buffer.concat(replayOf("s", side, lineOf(message))).toString();
  const update: RpcMessage = { method: "session/update", params: { sessionId: "s", update: {} } };
  assert.equal(shown("agent", update), `${JSON.stringify(update)}\n`);
  const prompt = [{ type: "text", text: "hello" }];
  const again = JSON.parse(
    shown("client", { id: 3, method: "session/prompt", params: { sessionId: "s", prompt } }),
  ) as {
    params: { update: unknown };
  };
  assert.deepEqual(again.params.update, { sessionUpdate: "user_message_chunk", content: prompt[0] });
  assert.equal(shown("client", { id: 3, method: "session/prompt", params: { sessionId: "t", prompt } }), "");
});
