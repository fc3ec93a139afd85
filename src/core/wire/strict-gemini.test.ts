import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignInGemini } from "./strict-gemini.ts";

const withPart = (part: unknown): Record<string, unknown> => ({
  candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
});

test("foreignInGemini understands texts, calls, and what Google's servers run themselves", () => {
  const parts = [
    { text: "a", thought: true, thoughtSignature: "s" },
    { functionCall: { name: "f", args: { a: 1 }, id: null } },
    { functionCall: { name: "f", args: null } },
    { executableCode: { language: "PYTHON", code: "1" } },
    { toolCall: { id: "t", toolType: "GOOGLE_SEARCH_WEB", args: { query: "q" } } },
    { toolResponse: { id: "t", toolType: "GOOGLE_SEARCH_WEB", response: {} } },
  ];
  for (const part of parts) {
    assert.equal(foreignInGemini(withPart(part)), undefined, JSON.stringify(part));
    assert.equal(foreignInGemini({ response: withPart(part), traceId: "x" }), undefined);
  }
});

test("foreignInGemini refuses a part or a call of another type than its clients take it for", () => {
  const parts = [
    "text",
    { text: {} },
    { functionCall: [{ name: "f" }] },
    { functionCall: { name: ["f"] } },
    { functionCall: { name: "f", args: [] } },
    { functionCall: { name: "f", args: "{}" } },
    { functionCall: { name: "f", partialArgs: {} } },
    { functionCall: { name: "f", willContinue: "true" } },
    { tool_call: { name: "f" } },
  ];
  for (const part of parts) assert.notEqual(foreignInGemini(withPart(part)), undefined, JSON.stringify(part));
  assert.notEqual(foreignInGemini({ candidates: [[]] }), undefined);
  for (const candidates of [{}, [{}, {}]]) assert.notEqual(foreignInGemini({ candidates }), undefined);
  assert.notEqual(foreignInGemini({ response: withPart({ text: "a" }), candidates: [{}] }), undefined);
  assert.notEqual(foreignInGemini({ response: { response: withPart({ text: "a" }) } }), undefined);
  assert.notEqual(foreignInGemini({ candidates: [{ content: [] }] }), undefined);
  assert.notEqual(foreignInGemini({ response: [withPart(parts[0])] }), undefined);
});
