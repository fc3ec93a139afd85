/** Errors that a model server reports in its stream: the vendor's own sequence passes whole, and nothing else behind it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dialect } from "../src/core/wire/turn.ts";
import { behind } from "./support/answering-server.ts";
import { bodyOf, pathOf, post, routeOf, turnIn } from "./support/model-requests.ts";

const named = (type: string, payload: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...payload })}\n\n`;
const data = (payload: object): string => `data: ${JSON.stringify(payload)}\n\n`;
const start = named("message_start", {
  message: { id: "m", type: "message", role: "assistant", model: "m", content: [] },
});
const item = {
  type: "function_call",
  id: "fc1",
  call_id: "c1",
  name: "shell",
  arguments: '{"command":"touch reached"}',
};
const added = named("response.output_item.added", { output_index: 0, item });
const done = named("response.output_item.done", { output_index: 0, item });
const completed = named("response.completed", { response: { id: "r", status: "completed", output: [item] } });

const failed = named("response.failed", {
  response: {
    id: "r",
    status: "failed",
    error: { code: "insufficient_quota", message: "You exceeded your quota" },
    output: [],
  },
});
const reported = named("error", {
  error: { type: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your quota" },
});

test("the sequence of events with which a vendor reports an error passes whole", async () => {
  const cases: readonly (readonly [Dialect, string])[] = [
    ["openai-responses", `${reported}: keep-alive\n\n${failed}`],
    ["openai-responses", reported],
    ["openai-responses", failed],
    ["openai-chat", `${data({ error: { message: "no", type: "x" } })}data: [DONE]\n\n`],
    [
      "openai-chat",
      `${data({ choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }], error: { message: "no" } })}data: [DONE]\n\n`,
    ],
    ["anthropic", start + named("error", { error: { type: "overloaded_error", message: "no" } })],
    ["gemini", data({ error: { code: 429, message: "no", status: "RESOURCE_EXHAUSTED" } })],
  ];
  for (const [dialect, body] of cases) {
    await behind({ type: "text/event-stream", body }, async (gateway) => {
      const response = await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect)}`, bodyOf(dialect));
      assert.equal(await response.text(), body);
      assert.notEqual((await gateway.mark("wire-turn")).error, null);
    });
  }
});

test("nothing but the rest of an error passes behind it", async () => {
  const behindError = [
    added + done,
    completed,
    failed.replace('"output":[]', `"output":[${JSON.stringify(item)}]`),
    `data: {"x":\n\n`,
  ];
  for (const rest of behindError) {
    await behind({ type: "text/event-stream", body: reported + rest + failed }, async (gateway) => {
      const response = await post(`${gateway.url("openai")}/responses`, bodyOf("openai-responses"));
      assert.equal(await response.text(), reported);
    });
  }
});

test("an error behind a call that is held is told to the agent in the dialect's last event", async () => {
  await behind({ type: "text/event-stream", body: added + done + reported + failed }, async (gateway) => {
    const response = await post(`${gateway.url("openai")}/responses`, bodyOf("openai-responses"));
    const { text: received, turn } = await turnIn("openai-responses", response);
    assert.doesNotMatch(received, /reached/);
    assert.deepEqual([turn.error?.type, turn.error?.message], ["insufficient_quota", "You exceeded your quota"]);
    assert.match(received, /^event: response\.failed$/m);
  });
});

test("an error body that holds a call is replaced, and any other one passes as it came", async () => {
  const error = { error: { message: "no", type: "invalid_request_error" } };
  const call = { id: "c", type: "function", function: { name: "bash", arguments: '{"command":"touch reached"}' } };
  const choices = [{ index: 0, message: { role: "assistant", tool_calls: [call] }, finish_reason: "tool_calls" }];
  const content = [{ type: "tool_use", id: "t", name: "bash", input: { command: "touch reached" } }];
  const cases: readonly (readonly [Dialect, object, boolean])[] = [
    ["openai-chat", { ...error, choices }, false],
    ["openai-responses", { ...error, output: [item] }, false],
    ["anthropic", { type: "error", ...error, content }, false],
    ["anthropic", { type: "message", role: "assistant", content }, false],
    ["openai-chat", error, true],
    ["openai-chat", [error], true],
    ["openai-chat", { detail: [{ type: "missing", loc: ["body", "tools", 0], input: { function: {} } }] }, true],
  ];
  for (const [dialect, value, passes] of cases) {
    const body = JSON.stringify(value);
    await behind({ type: "application/json", body, status: 400 }, async (gateway) => {
      const response = await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect)}`, bodyOf(dialect));
      assert.equal(response.status, 400);
      const text = await response.text();
      assert.equal(text === body, passes, text);
      assert.ok(passes || !text.includes("touch reached"), text);
    });
  }
});
