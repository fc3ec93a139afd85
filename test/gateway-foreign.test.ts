/**
 * Answers that could carry a tool call in a way that the gateway does not understand, though a client would: none of them passes.
 * Each holds the same command, which must not reach the agent.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dialect } from "../src/core/wire/turn.ts";
import { behind } from "./support/answering-server.ts";
import { bodyOf, pathOf, post, routeOf, turnIn } from "./support/model-requests.ts";

const command = "touch reached";
const callArguments = JSON.stringify({ command });

const named = (type: string, payload: object, name = type): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type, ...payload })}\n\n`;
const data = (payload: object): string => `data: ${JSON.stringify(payload)}\n\n`;

const toolUse = { type: "tool_use", id: "t1", name: "shell", input: { command } };
const start = named("message_start", {
  message: { id: "m", type: "message", role: "assistant", model: "m", content: [] },
});
const end = named("message_delta", { delta: { stop_reason: "tool_use" } }) + named("message_stop", {});
const begin = (index: number, block: object, name?: string): string =>
  named("content_block_start", { index, content_block: block }, name);
const argumentsAt = (index: number, text = callArguments): string =>
  named("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: text } });
const stop = (index: number): string => named("content_block_stop", { index });
const emptyUse = (id: string): object => ({ ...toolUse, id, input: {} });

const chatCall = { index: 0, id: "c1", type: "function", function: { name: "shell", arguments: callArguments } };
const choice = (rest: object): object => ({ index: 0, finish_reason: "tool_calls", ...rest });
const chat = (choices: unknown, rest: object = {}): string => data({ id: "x", choices, ...rest });
const withCall = choice({ delta: { tool_calls: [chatCall] } });

const part = { functionCall: { name: "shell", args: { command } } };
const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP" };
const text = { content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" };

const item = { type: "function_call", id: "fc1", call_id: "c1", name: "shell", arguments: callArguments };
const shellItem = { type: "local_shell_call", id: "ls1", action: { type: "exec", command: ["touch", "reached"] } };
const added = (value: object): string => named("response.output_item.added", { output_index: 0, item: value });
const done = (value: object): string => named("response.output_item.done", { output_index: 0, item: value });
const completed = (output: readonly object[] = []): string =>
  named("response.completed", { response: { id: "r", status: "completed", output } });

/** A stream that is cut off with an error, and what the error says. */
const streams: Readonly<Record<Dialect, Readonly<Record<string, readonly [stream: string, why: RegExp]>>>> = {
  "openai-chat": {
    "a choice with another index": [chat([choice({ index: 1, delta: { tool_calls: [chatCall] } })]), /choices/],
    "a second choice": [chat([choice({ delta: { content: "a" } }), withCall]), /choices/],
    "choices that are no list": [chat({ 0: withCall }), /choices/],
    "a message beside the delta": [chat([{ index: 0, delta: {}, message: { tool_calls: [chatCall] } }]), /message/],
    "a name in other letters": [chat([choice({ delta: { Tool_Calls: [chatCall] } })]), /Tool_Calls/],
    "a prototype": [
      `data: {"choices":[{"index":0,"delta":{"__proto__":{"tool_calls":[{"function":{"name":"shell","arguments":"${command}"}}]}}}]}\n\n`,
      /__proto__/,
    ],
    "a field twice": [`data: {"choices":[${JSON.stringify(withCall)}],"choices":[]}\n\n`, /"choices" twice/],
    "an unknown field": [
      chat([choice({ delta: { client_actions: [{ tool: "shell", input: { command } }] } })]),
      /client_actions/,
    ],
    "calls that are no list": [chat([choice({ delta: { tool_calls: chatCall } })]), /tool_calls/],
    "a call in the content": [chat([choice({ delta: { content: [toolUse] } })]), /content/],
    "a name that changes": [
      chat([{ index: 0, delta: { tool_calls: [{ ...chatCall, function: { name: "ls", arguments: "" } }] } }]) +
        chat([withCall]),
      /contradicts itself about/,
    ],
    "a space before the field": [` ${chat([withCall])}data: [DONE]\n\n`, /line/],
    "a second byte order mark": [`\u{feff}\u{feff}${chat([withCall])}`, /line/],
    "a comment with another line ending": [`: hi\u000b${chat([withCall])}`, /line/],
    "a whole answer instead of events": [
      JSON.stringify({ choices: [choice({ message: { tool_calls: [chatCall] } })] }),
      /line/,
    ],
  },
  anthropic: {
    "content of message_start": [
      named("message_start", { message: { id: "m", content: [toolUse] } }) + end,
      /message_start/,
    ],
    "an unknown block": [start + begin(0, { ...toolUse, type: "client_tool_use" }) + stop(0) + end, /client_tool_use/],
    "an unknown delta": [
      start +
        begin(0, { type: "text", text: "" }) +
        named("content_block_delta", { index: 0, delta: { type: "tool_input_delta", input: { command } } }) +
        end,
      /tool_input_delta/,
    ],
    "an unknown event": [start + named("tool_call", { input: { command } }) + end, /tool_call/],
    "an event with another name": [
      start + named("ping", { content_block: toolUse }, "content_block_start") + end,
      /another type/,
    ],
    "a block in a ping": [start + named("ping", { content_block: toolUse }) + end, /ping/],
    "arguments behind the end of a block": [
      start + begin(0, emptyUse("t1")) + stop(0) + argumentsAt(0) + end,
      /in their order/,
    ],
    "two blocks at one index": [
      start + begin(0, emptyUse("t1")) + begin(0, emptyUse("t2")) + argumentsAt(0) + stop(0) + end,
      /index/,
    ],
    "a block beside an error": [
      start + named("error", { error: { type: "x", message: "m" }, content_block: toolUse }),
      /content_block/,
    ],
  },
  gemini: {
    "candidates beside the wrapped ones": [
      data({ response: { candidates: [text] }, candidates: [candidate] }),
      /candidates/,
    ],
    "a second candidate": [data({ candidates: [text, candidate] }), /candidates/],
    "a name in other letters": [
      data({ candidates: [{ content: { parts: [{ function_call: part.functionCall }] }, finishReason: "STOP" }] }),
      /function_call/,
    ],
    "calls beside the candidates": [data({ candidates: [text], functionCalls: [part.functionCall] }), /functionCalls/],
    "an argument twice": [
      `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"shell","args":{"command":"${command}","command":"ls"}}}]},"finishReason":"STOP"}]}\n\n`,
      /"command" twice/,
    ],
    "parts that are no list": [data({ candidates: [{ content: { parts: part }, finishReason: "STOP" }] }), /content/],
  },
  "openai-responses": {
    "output of response.created": [
      named("response.created", { response: { id: "r", status: "in_progress", output: [item] } }) + completed(),
      /response\.created/,
    ],
    "an unknown item": [done({ ...item, type: "client_tool" }) + completed(), /client_tool/],
    "an unknown call without an id": [
      done({ type: "run_call", id: "x", action: { command } }) + completed(),
      /run_call/,
    ],
    "an item in another event": [named("response.in_progress", { item }) + completed(), /an item/],
    "an event with another name": [
      named("response.in_progress", {}, "response.output_item.done") + done(item),
      /another type/,
    ],
    "a name that changes": [
      added({ ...item, name: "ls", arguments: "" }) + done(item) + completed(),
      /contradicts itself about/,
    ],
    "a kind that changes": [
      added({ ...item, type: "custom_tool_call", input: "" }) + done(item) + completed(),
      /two kinds/,
    ],
    "a call that is done twice": [done(item) + done(item) + completed(), /done twice/],
    "a native call that changes": [
      done({ ...shellItem, action: { type: "exec", command: ["ls"] } }) + completed([shellItem]),
      /contradicts itself about/,
    ],
    "an unknown event": [named("response.run_call.delta", { delta: command }) + completed(), /run_call/],
  },
};

for (const dialect of ["openai-chat", "anthropic", "gemini", "openai-responses"] as const) {
  for (const [name, [stream, why]] of Object.entries(streams[dialect])) {
    test(`a stream of ${dialect} with ${name} is cut off`, async () => {
      await behind({ type: "text/event-stream", body: stream }, async (gateway) => {
        const response = await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect)}`, bodyOf(dialect));
        const { text: received, turn } = await turnIn(dialect, response);
        assert.doesNotMatch(received, /reached/);
        assert.equal(turn.error?.type, "upstream_malformed");
        assert.match(turn.error?.message ?? "", why);
        assert.equal((await gateway.mark("wire-turn")).error?.type, "upstream_malformed");
        assert.ok(gateway.rows.every((row) => row.type === "decision" && row.effect === "deny"));
      });
    });
  }
}

/** Answers that are not streamed. */
const bodies: readonly (readonly [Dialect, string, object])[] = [
  [
    "openai-chat",
    "a second choice",
    { choices: [choice({ message: { content: "a" } }), choice({ message: { tool_calls: [chatCall] } })] },
  ],
  [
    "openai-chat",
    "a delta beside the message",
    { choices: [choice({ delta: {}, message: { tool_calls: [chatCall] } })] },
  ],
  ["anthropic", "content beside an error", { type: "error", error: { type: "x", message: "m" }, content: [toolUse] }],
  [
    "anthropic",
    "an unknown block",
    { type: "message", content: [{ ...toolUse, type: "client_tool_use" }], stop_reason: "tool_use" },
  ],
  ["anthropic", "a list of messages", [{ type: "message", content: [toolUse], stop_reason: "tool_use" }]],
  ["gemini", "candidates beside the wrapped ones", { response: { candidates: [text] }, candidates: [candidate] }],
  ["openai-responses", "an unknown item", { id: "r", status: "completed", output: [{ ...item, type: "client_tool" }] }],
];

for (const [dialect, name, body] of bodies) {
  test(`a whole answer of ${dialect} with ${name} is refused`, async () => {
    await behind({ type: "application/json", body: JSON.stringify(body) }, async (gateway) => {
      const url = `${gateway.url(routeOf[dialect])}${pathOf(dialect, false)}`;
      const response = await post(url, bodyOf(dialect, false));
      assert.equal(response.status, 502);
      const { text: received, turn } = await turnIn(dialect, response);
      assert.doesNotMatch(received, /reached/);
      assert.equal(turn.error?.type, "upstream_malformed");
    });
  });
}

test("a call beside an error does not pass", async () => {
  const cases: readonly (readonly [Dialect, string, string])[] = [
    ["openai-chat", "text/event-stream", chat([withCall], { error: { message: "no", type: "x" } })],
    [
      "openai-chat",
      "application/json",
      JSON.stringify({ error: { message: "no" }, choices: [choice({ message: { tool_calls: [chatCall] } })] }),
    ],
    ["gemini", "text/event-stream", data({ error: { message: "no" }, candidates: [candidate] })],
  ];
  for (const [dialect, type, body] of cases) {
    await behind({ type, body }, async (gateway) => {
      const response = await post(`${gateway.url(routeOf[dialect])}${pathOf(dialect)}`, bodyOf(dialect));
      const { text: received, turn } = await turnIn(dialect, response);
      assert.doesNotMatch(received, /reached/);
      assert.notEqual(turn.error, null);
      assert.deepEqual(
        gateway.rows.map((row) => row.type === "decision" && row.effect),
        ["deny"],
      );
    });
  }
});

test("a body whose content type lies is refused", async () => {
  for (const [type, body] of [
    ["application/json", start + begin(0, emptyUse("t1")) + argumentsAt(0) + stop(0) + end],
    ["text/event-stream", JSON.stringify({ type: "message", content: [toolUse], stop_reason: "tool_use" })],
  ] as const) {
    await behind({ type, body }, async (gateway) => {
      const response = await post(`${gateway.url("anthropic")}/v1/messages`, bodyOf("anthropic"));
      assert.doesNotMatch(await response.text(), /reached/);
    });
  }
});

test("a call that is refused is taken out of the stream also where the item has no call_id", async () => {
  const body = added(shellItem) + done(shellItem) + completed([shellItem]);
  await behind(
    { type: "text/event-stream", body, policy: "version: 1\ndefault: deny\nopaque: deny\n" },
    async (gateway) => {
      const response = await post(`${gateway.url("openai")}/responses`, bodyOf("openai-responses"));
      const { text: received, turn } = await turnIn("openai-responses", response);
      assert.deepEqual(turn.toolCalls, []);
      assert.doesNotMatch(received, /local_shell_call/);
    },
  );
});

test("an argument that stands twice in a call is refused, and the model is told", async () => {
  const twice = { ...chatCall, function: { name: "shell", arguments: `{"command":"${command}","command":"ls"}` } };
  await behind(
    { type: "text/event-stream", body: chat([choice({ delta: { tool_calls: [twice] } })]) },
    async (gateway) => {
      const response = await post(`${gateway.url("openai")}/chat/completions`, bodyOf("openai-chat"));
      const { text: received, turn } = await turnIn("openai-chat", response);
      assert.doesNotMatch(received, /reached/);
      assert.match(turn.text, /refused and not executed/);
    },
  );
});

test("calls whose pieces are numbered in two ways are written anew, each in one piece", async () => {
  const piece = (index: number, rest: object): string =>
    chat([{ index: 0, delta: { tool_calls: [{ index, ...rest }] } }]);
  const stream =
    piece(0, { id: "a", function: { name: "shell", arguments: callArguments } }) +
    piece(0, { id: "b", function: { name: "shell", arguments: "" } }) +
    piece(0, { id: "b", function: { arguments: '{"command":"ls"}' } }) +
    chat([choice({ delta: {} })]);
  await behind({ type: "text/event-stream", body: stream }, async (gateway) => {
    const response = await post(`${gateway.url("openai")}/chat/completions`, bodyOf("openai-chat"));
    // A client that goes by the index and nothing else.
    const calls: Record<number, string> = {};
    for (const line of (await response.text()).matchAll(/^data: (\{.*)$/gm)) {
      const [found] = (JSON.parse(line[1] ?? "") as { choices: { delta: { tool_calls?: (typeof chatCall)[] } }[] })
        .choices;
      for (const call of found?.delta.tool_calls ?? []) {
        calls[call.index] = (calls[call.index] ?? "") + call.function.arguments;
      }
    }
    assert.deepEqual(calls, { 0: callArguments, 1: '{"command":"ls"}' });
  });
});

test("a path that the gateway does not know is answered with a reason, stands in the journal, and is not sent on", async () => {
  const lines = [
    ["GET", "openai", "/responses/resp_1"],
    ["POST", "openai", "/responses/"],
    ["POST", "openai", "/chat/comple%74ions"],
    ["POST", "openai", "/api/chat"],
    ["POST", "anthropic", "/v1/messages/batches"],
    ["PUT", "anthropic", "/v1/messages"],
    ["POST", "gemini", "/v1beta/models/m:batchGenerateContent"],
  ] as const;
  for (const [method, route, path] of lines) {
    await behind(
      { type: "application/json", body: JSON.stringify({ output: [item], content: [toolUse] }) },
      async (gateway, paths) => {
        const body = method === "GET" ? null : "{}";
        const response = await fetch(`${gateway.url(route)}${path}?key=hidden`, { method, body });
        assert.equal(response.status, 404);
        const received = await response.text();
        assert.match(received, /does not know what/);
        assert.doesNotMatch(received, /reached/);
        assert.deepEqual(paths, []);
        const { path: marked, reason } = await gateway.mark("wire-refused");
        assert.equal(marked, path);
        assert.doesNotMatch(reason, /hidden/);
      },
    );
  }
});

test("a request that a server could take for another one is not sent on", async () => {
  await behind(
    { type: "application/json", body: JSON.stringify({ candidates: [candidate] }) },
    async (gateway, paths) => {
      const url = `${gateway.url("gemini")}/v1beta/models`;
      const overridden = await fetch(url, { headers: { "X-HTTP-Method-Override": "POST" } });
      const asked = await fetch(`${url}?%24httpMethod=POST`);
      const method = await fetch(`${url}/m:generateContent`);
      for (const response of [overridden, asked, method]) {
        assert.equal(response.status, 404);
        assert.doesNotMatch(await response.text(), /reached/);
      }
      assert.deepEqual(paths, []);
    },
  );
});

test("an answer in another charset than it is read in is refused", async () => {
  for (const type of ["text/event-stream; charset=utf-16", 'text/event-stream;charset="latin1"']) {
    await behind({ type, body: chat([withCall]) }, async (gateway) => {
      const response = await post(`${gateway.url("openai")}/chat/completions`, bodyOf("openai-chat"));
      assert.equal(response.status, 502);
      assert.doesNotMatch(await response.text(), /reached/);
    });
  }
});

test("tools that the vendor's servers ran are named in the journal", async () => {
  const body =
    start +
    begin(0, { type: "server_tool_use", id: "s1", name: "web_search", input: {} }) +
    stop(0) +
    named("message_delta", { delta: { stop_reason: "end_turn" } }) +
    named("message_stop", {});
  await behind({ type: "text/event-stream", body }, async (gateway) => {
    await (await post(`${gateway.url("anthropic")}/v1/messages`, bodyOf("anthropic"))).text();
    const turn = await gateway.mark("wire-turn");
    assert.deepEqual([turn.calls, turn.serverTools], [[], ["web_search"]]);
    assert.deepEqual(gateway.rows, []);
  });
});

test("what is not known and cannot carry a call passes unchanged", async () => {
  const said =
    start.replace('"content":[]', '"content":[],"new_field":{"a":[1]}') +
    named("new_event", { index: 3, payload: { words: ["x"] } }) +
    begin(0, { type: "new_block", words: [] }) +
    stop(0) +
    begin(1, { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } }) +
    stop(1) +
    begin(2, { type: "web_search_tool_result", tool_use_id: "s1", content: [] }) +
    stop(2) +
    named("message_delta", { delta: { stop_reason: "end_turn" } }) +
    named("message_stop", {});
  await behind({ type: "text/event-stream", body: said }, async (gateway) => {
    const response = await post(`${gateway.url("anthropic")}/v1/messages`, bodyOf("anthropic"));
    assert.equal(await response.text(), said);
  });
});
