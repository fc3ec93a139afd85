import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, entriesOfRows, lineOf } from "../../../test/support/transcript-fixtures.ts";

const row = (id: string, parentId: string | null, message: object) => ({ type: "message", id, parentId, message });
const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });

test("rows are what was said, and prompts have the time at which they were typed", () => {
  const entries = entriesOf("pi", "pi-1.6.jsonl");
  assert.deepEqual(entries.map(lineOf), [
    "conversation 01a21ef1-0595-73ad-8f63-8a9a0482a982",
    "user: please say uniq q0",
    "assistant: Unique reply here. ENDUNIQ.",
    "user: please say alpha one",
    "assistant: Alpha is said, with `code` and **bold**. ENDALPHA.",
    "assistant: I run beta. PREBETA.",
    'tool-call bash: {"command":"echo BETA-$((40+2)) | tee beta.flag"}',
    "tool-result: BETA-42\n",
    "assistant: I run delta. PREDELTA.",
    'tool-call bash: {"command":"echo DELTA | tee delta.flag"}',
    "tool-result: DELTA\n",
    "command: !echo SHELLMODE",
    "tool-result: SHELLMODE\n",
  ]);
  assert.equal(entries[1]?.kind === "message" && entries[1].timeMs, 1_795_815_445_229);
});

test("another child of an earlier row leaves that row's branch", () => {
  const rows = [
    row("a", null, user("one")),
    row("b", "a", user("two")),
    row("c", "b", user("three")),
    row("d", "a", user("other")),
    { type: "compaction", id: "e", parentId: "d" },
  ];
  assert.deepEqual(
    entriesOfRows("pi", ...rows)
      .map(lineOf)
      .slice(3),
    ["rewound: b c", "user: other", "compacted: "],
  );
});

test("answers that ended early, cut outputs, and what is unknown", () => {
  const answer = (stopReason: string, more: object = {}) => ({
    role: "assistant",
    content: [{ type: "text", text: "Half" }],
    stopReason,
    ...more,
  });
  const rows = [
    row("a", null, answer("aborted")),
    row("b", "a", answer("error", { errorMessage: "400" })),
    row("c", "b", answer("length")),
    row("d", "c", {
      role: "toolResult",
      toolCallId: "t",
      content: "tail",
      details: { truncation: { truncated: true } },
    }),
    row("e", "d", { role: "oracle" }),
    { type: "sparkle", id: "f", parentId: "e" },
  ];
  assert.deepEqual(entriesOfRows("pi", ...rows).map(lineOf), [
    "assistant interrupted: Half",
    "assistant failed: Half",
    "failed: 400",
    "assistant cut: Half",
    "tool-result cut: tail",
    "unknown: message/oracle",
    "unknown: sparkle",
  ]);
});
