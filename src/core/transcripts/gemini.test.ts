import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, entriesOfRows, lineOf } from "../../../test/support/transcript-fixtures.ts";

const row = (id: string, timestamp: string, type: string, more: object) => ({ id, timestamp, type, ...more });
const lines = (...rows: readonly unknown[]): string[] => entriesOfRows("gemini", ...rows).map(lineOf);

test("rows are what was said; lists for the model are not", () => {
  assert.deepEqual(entriesOf("gemini", "gemini-0.61.jsonl").map(lineOf), [
    "conversation 0b05e971-1d25-425c-b400-27b4d8c7a560",
    "user: please say uniq q0",
    "assistant: Unique reply here. ENDUNIQ.",
    "user: please say alpha one",
    "assistant: Alpha is said, with `code` and **bold**. ENDALPHA.",
    "assistant: I run beta. PREBETA.",
    'tool-call run_shell_command: {"command":"echo BETA-$((40+2)) | tee beta.flag","descriptio',
    "tool-result: Command injection detected: command substitution syntax ($()",
    "assistant: I run delta. PREDELTA.",
    'tool-call run_shell_command: {"command":"echo DELTA | tee delta.flag","description":"Delt',
    "tool-result: [Operation Cancelled] Reason: User denied execution.",
    'failed: [API Error: {"error":{"code":400,"message":"This model does not exist ETAERR.","status":"INTERNAL"}}]',
  ]);
});

test("a rewind takes back its row and all after it", () => {
  assert.deepEqual(entriesOf("gemini", "gemini-0.61-rewind.jsonl").map(lineOf).slice(5), [
    "user: after the resume nu",
    "assistant: Resumed well. ENDNU.",
    "rewound: 62559ed9-f44e-47af-b22d-0e62081d0460 89295c2f-58ba-4658-b67f-dc6ed99bbc63",
    "user: edited prompt xi",
    "assistant: Edited answer. ENDXI.",
  ]);
});

test("a copy of the conversation under new ids is not said again", () => {
  const context = [{ text: "<session_context>\n" }, { text: "one" }];
  assert.deepEqual(
    lines(
      row("a", "2026-11-27T21:37:00.000Z", "user", { content: [{ text: "one" }] }),
      row("b", "2026-11-27T21:37:01.000Z", "gemini", { content: "ONE" }),
      row("c", "2026-11-27T21:37:02.000Z", "user", { content: context }),
      row("d", "2026-11-27T21:37:02.001Z", "gemini", { content: [{ text: "ONE" }] }),
      row("s", "2026-11-27T21:37:02.002Z", "user", { content: [{ text: "denied" }] }),
      { $set: { messages: [] } },
      row("e", "2026-11-27T21:37:02.400Z", "user", { content: [{ text: "two" }] }),
    ),
    ["user: one", "assistant: ONE", "user: two"],
  );
});

test("a file without its header, a call that is written again with its result, commands, sub-agents", () => {
  const call = { id: "t", name: "ls", args: {} };
  const result = [{ functionResponse: { response: { output: "x" } } }];
  const shell =
    "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na\nb\n```";
  assert.deepEqual(
    lines(
      row("a", "2026-11-27T21:37:02.000Z", "gemini", { toolCalls: [call] }),
      row("a", "2026-11-27T21:37:02.000Z", "gemini", { toolCalls: [{ ...call, result }] }),
      row("b", "2", "user", { content: [{ text: shell }] }),
      row("c", "3", "info", { content: "Request cancelled." }),
      row("d", "4", "sparkle", { content: "x" }),
      { sessionId: "sub", kind: "subagent" },
      row("e", "5", "gemini", { content: "inside" }),
    ),
    [
      "tool-call ls: {}",
      "tool-result: x",
      "command: !ls",
      "tool-result: a\nb",
      "unknown: sparkle",
      "conversation sub",
      "assistant by sub: inside",
    ],
  );
});
