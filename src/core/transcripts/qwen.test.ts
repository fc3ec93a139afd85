import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, entriesOfRows, lineOf } from "../../../test/support/transcript-fixtures.ts";

const row = (uuid: string, parentUuid: string | null, type: string, ...parts: readonly object[]) => ({
  uuid,
  parentUuid,
  type,
  message: { parts },
});
const lines = (...rows: readonly unknown[]): string[] => entriesOfRows("qwen", ...rows).map(lineOf);

test("rows are what was said, prompts that were sent into a turn and slash commands too", () => {
  assert.deepEqual(entriesOf("qwen", "qwen-0.24.4.jsonl").map(lineOf), [
    "conversation 315cfe88-289a-45e8-a4bb-82252a3ab970",
    "user: please say alpha one",
    "assistant: Alpha is said, with `code` and **bold**. ENDALPHA.",
    "assistant: I run beta. PREBETA.",
    'tool-call run_shell_command: {"command":"echo BETA-$((40+2)) | tee beta.flag","descriptio',
    "tool-result: Command: echo BETA-$((40+2)) | tee beta.flag\nDirectory: (roo",
    "user: please say uniq q1",
    "command: /help",
  ]);
});

test("0.15 has no provenance; a row of a person is what others are not", () => {
  assert.deepEqual(
    lines(
      row("a", null, "user", { text: "one" }),
      row("b", "a", "user", { functionResponse: { id: "t", response: { error: "no" } } }),
      { ...row("c", "b", "user", { text: "injected" }), provenance: "system" },
      row("d", "c", "assistant", { text: "think", thought: true }, { text: "wo" }, { text: "rd" }),
    ),
    ["user: one", "tool-result: no", "assistant: word"],
  );
});

test("rewinds, compression, failures, and what is unknown", () => {
  const system = (subtype: string, systemPayload: object) => ({
    uuid: "s",
    parentUuid: "a",
    type: "system",
    subtype,
    systemPayload,
  });
  assert.deepEqual(
    lines(
      row("a", null, "user", { text: "one" }),
      row("b", "a", "assistant", { text: "ONE" }),
      row("c", "b", "user", { text: "two" }),
      row("d", "b", "user", { text: "edited" }),
      system("chat_compression", {}),
      system("ui_telemetry", { uiEvent: { "event.name": "qwen-code.api_error", error: "400" } }),
      { type: "sparkle" },
    ).slice(3),
    ["rewound: c", "user: edited", "compacted: ", "failed: 400", "unknown: sparkle"],
  );
});
