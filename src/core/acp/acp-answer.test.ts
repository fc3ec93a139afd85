import assert from "node:assert/strict";
import { test } from "node:test";
import { answerKey, answerLine, requestText } from "./acp-answer.ts";

test("an answer names the request and the option; its key is that of the request, at most 500 characters", () => {
  const request = requestText({
    id: 7,
    method: "session/request_permission",
    params: { toolCall: { toolCallId: "c" } },
  });
  const other = {
    id: 7,
    method: "session/request_permission",
    params: { toolCall: { toolCallId: "c", rawInput: { a: 1 } } },
  };
  assert.notEqual(answerKey(requestText(other)), answerKey(request), "an id that is used again for another question");
  assert.deepEqual(JSON.parse(new TextDecoder().decode(answerLine(request, "once"))), {
    jsonrpc: "2.0",
    id: 7,
    result: { outcome: { outcome: "selected", optionId: "once" } },
  });
  assert.notEqual(answerKey(request), answerKey(requestText({ id: "7" })));
  assert.equal(answerKey(requestText({ id: "x".repeat(1000) })).length, 500);
});
