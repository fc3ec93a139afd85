import assert from "node:assert/strict";
import { test } from "node:test";
import { readRequest } from "./read-request.ts";
import type { Dialect } from "./turn.ts";

const old = "Earlier";
const fresh = "Now this";
/** The same conversation in each dialect: a user's text, a call, its result with a further text of the user. */
const requests: Readonly<Record<Dialect, object>> = {
  anthropic: {
    model: "m",
    stream: true,
    messages: [
      { role: "user", content: old },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "files" }] },
          { type: "text", text: fresh },
        ],
      },
    ],
  },
  "openai-chat": {
    model: "m",
    stream: true,
    messages: [
      { role: "system", content: "You are" },
      { role: "user", content: old },
      { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: { name: "ls" } }] },
      { role: "tool", tool_call_id: "a", content: "files" },
      { role: "user", content: [{ type: "text", text: fresh }] },
    ],
  },
  "openai-responses": {
    model: "m",
    stream: true,
    input: [
      { role: "user", content: [{ type: "input_text", text: old }] },
      { type: "function_call", call_id: "a", name: "ls", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "files" },
      { type: "message", role: "user", content: [{ type: "input_text", text: fresh }] },
    ],
  },
  gemini: {
    contents: [
      { role: "user", parts: [{ text: old }] },
      { role: "model", parts: [{ functionCall: { id: "a", name: "ls", args: {} } }] },
      {
        role: "user",
        parts: [{ functionResponse: { id: "a", name: "ls", response: { output: "files" } } }, { text: fresh }],
      },
    ],
  },
};

for (const [dialect, request] of Object.entries(requests) as [Dialect, object][]) {
  test(`readRequest finds what is new in a request in the dialect ${dialect}`, () => {
    const { model, parts, pastCalls, stream } = readRequest(dialect, request);
    const tool = dialect === "gemini" ? "ls" : null;
    assert.deepEqual(parts, [
      { type: "tool-result", call: "a", tool, text: "files", isError: false },
      { type: "user", text: fresh },
    ]);
    assert.deepEqual([...pastCalls], [["a", 1]]);
    if (dialect !== "gemini") assert.deepEqual([model, stream], ["m", true]);
  });
}

test("readRequest sees errors of tools, and how many answers are wanted", () => {
  const block = { type: "tool_result", tool_use_id: "a", content: "no", is_error: true };
  const [part] = readRequest("anthropic", { messages: [{ role: "user", content: [block] }] }).parts;
  assert.deepEqual(part, { type: "tool-result", call: "a", tool: null, text: "no", isError: true });
  assert.equal(readRequest("openai-chat", { n: 3 }).choices, 3);
  assert.equal(readRequest("gemini", { request: { generationConfig: { candidateCount: 2 } } }).choices, 2);
});

test("readRequest knows nothing of a body of another shape", () => {
  for (const body of [null, 1, "x", [], { messages: [1, null, { content: 7 }], input: {}, contents: "c" }]) {
    for (const dialect of Object.keys(requests) as Dialect[]) assert.deepEqual(readRequest(dialect, body).parts, []);
  }
  assert.deepEqual(readRequest("openai-responses", { input: "Hi" }).parts, [{ type: "user", text: "Hi" }]);
});
