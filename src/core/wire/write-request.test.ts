import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dialect } from "./turn.ts";
import { readToolSchemas } from "./tool-schemas.ts";
import { vendorBaseUrls, writeRequest, type RequestToWrite } from "./write-request.ts";

const request: RequestToWrite = {
  model: "m/1",
  system: "Be short.",
  messages: [
    { type: "user", text: "What is here?" },
    {
      type: "assistant",
      text: "I look.",
      toolCalls: [
        { id: "a", idSynthetic: false, name: "ls", argumentsText: '{"path":"."}', signature: "sig" },
        { id: "b", idSynthetic: true, name: "pwd", argumentsText: "", signature: null },
      ],
    },
    {
      type: "tool-results",
      results: [
        { call: "a", tool: "ls", text: "x.ts", failed: false },
        { call: "b", tool: "pwd", text: "no", failed: true },
      ],
    },
  ],
  tools: [{ name: "ls", description: "Lists", schema: { type: "object", properties: { path: { type: "string" } } } }],
  outputTokensMax: 1000,
};

/** What stands at a path of the body. */
const at = (dialect: Dialect, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], body(dialect));
const body = (dialect: Dialect): object => writeRequest(dialect, request, "k").body;

test("each dialect has its address and its header for the key, and none without a key", () => {
  const of = (dialect: Dialect, key?: string): string => {
    const { headers, path } = writeRequest(dialect, request, key);
    const { accept: _, "content-type": __, ...rest } = headers;
    return `${path} ${JSON.stringify(rest)}`;
  };
  assert.equal(of("anthropic", "k"), '/v1/messages {"anthropic-version":"2023-06-01","x-api-key":"k"}');
  assert.equal(of("openai-chat", "k"), '/chat/completions {"authorization":"Bearer k"}');
  assert.equal(of("openai-responses"), "/responses {}");
  assert.equal(of("gemini", "k"), '/v1beta/models/m%2F1:streamGenerateContent?alt=sse {"x-goog-api-key":"k"}');
  assert.equal(new URL(vendorBaseUrls.gemini).protocol, "https:");
});

test("the tools that are written are read again as the same", () => {
  for (const dialect of ["anthropic", "openai-chat", "openai-responses", "gemini"] as const) {
    const read = readToolSchemas(dialect, body(dialect));
    assert.deepEqual([...read.keys()], ["ls"], dialect);
    assert.deepEqual(read.get("ls")?.schema, request.tools[0]?.schema, dialect);
  }
});

test("Anthropic gets calls and results as blocks, and errors marked", () => {
  assert.deepEqual(at("anthropic", "messages", 1, "content"), [
    { type: "text", text: "I look." },
    { type: "tool_use", id: "a", name: "ls", input: { path: "." } },
    { type: "tool_use", id: "b", name: "pwd", input: {} },
  ]);
  assert.deepEqual(at("anthropic", "messages", 2, "content", 1), {
    type: "tool_result",
    tool_use_id: "b",
    content: "no",
    is_error: true,
  });
});

test("Chat Completions gets one message for each result", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((index) => at("openai-chat", "messages", index, "role")),
    ["system", "user", "assistant", "tool", "tool"],
  );
  const second = at("openai-chat", "messages", 2, "tool_calls", 1, "function");
  assert.deepEqual(second, { name: "pwd", arguments: "{}" });
});

test("Responses gets items by call id, without anything stored", () => {
  assert.equal(at("openai-responses", "store"), false);
  assert.deepEqual((at("openai-responses", "input") as object[]).slice(2), [
    { type: "function_call", call_id: "a", name: "ls", arguments: '{"path":"."}' },
    { type: "function_call", call_id: "b", name: "pwd", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "x.ts" },
    { type: "function_call_output", call_id: "b", output: "no" },
  ]);
});

test("Gemini gets its signatures back, and no ids that it did not give", () => {
  assert.deepEqual(at("gemini", "contents", 1, "parts", 1), {
    functionCall: { id: "a", name: "ls", args: { path: "." } },
    thoughtSignature: "sig",
  });
  assert.deepEqual(at("gemini", "contents", 1, "parts", 2), { functionCall: { name: "pwd", args: {} } });
  const second = at("gemini", "contents", 2, "parts", 1);
  assert.deepEqual(second, { functionResponse: { name: "pwd", response: { error: "no" } } });
});
