import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, entriesOfRows, lineOf } from "../../../test/support/transcript-fixtures.ts";

const human = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
  type: "user",
  uuid,
  parentUuid,
  sessionId: "s",
  timestamp: "2026-11-27T21:36:27.366Z",
  origin: { kind: "human" },
  message: { role: "user", content },
  ...more,
});
const answer = (uuid: string, parentUuid: string, content: readonly object[], more: object = {}) => ({
  type: "assistant",
  uuid,
  parentUuid,
  sessionId: "s",
  message: { id: `msg_${uuid[0]}`, role: "assistant", content },
  ...more,
});
const lines = (...rows: readonly unknown[]): string[] =>
  entriesOfRows("claude", ...rows)
    .map(lineOf)
    .slice(1);

test("the user's words are those of a person, and queued ones have the time at which they were sent", () => {
  assert.deepEqual(entriesOf("claude", "claude-2.1.332.jsonl").map(lineOf), [
    "conversation 6a13b346-49a4-42a2-8ed8-6475325fca97",
    "user: please say uniq q0",
    "assistant: Unique reply here. ENDUNIQ.",
    "assistant: Alpha is said, with `code` and **bold**. ENDALPHA.",
    "assistant: Alpha is said, with `code` and **bold**. ENDALPHA.",
    "tool-result: BETA-42",
    "tool-result: The user doesn't want to proceed with this tool use. The too",
    "user: please say uniq q1",
    "failed: API Error: 400 This model does not exist ETAERR.",
    "command: !echo SHELLMODE",
  ]);
  const queued = entriesOf("claude", "claude-2.1.332.jsonl").find((e) => e.kind === "message" && e.text.endsWith("q1"));
  assert.equal(queued?.kind === "message" && queued.timeMs, 1_795_815_420_578);
});

test("an edited prompt takes back what was said after its parent; a compacted conversation stays said", () => {
  assert.deepEqual(entriesOf("claude", "claude-2.1.332-rewind-compact.jsonl").map(lineOf).slice(5), [
    "user: after the resume nu",
    "assistant: Resumed well. ENDNU.",
    "rewound: 82a255ad-1e70-445e-8f38-63ff1c1b45c7 f157de9d-447c-48a2-a3ec-41780470eb7e",
    "user: edited prompt xi",
    "assistant: Edited answer. ENDXI.",
    "compacted: ",
    "command: /compact",
  ]);
});

test("a cleared conversation is another file with another id", () => {
  assert.deepEqual(entriesOf("claude", "claude-2.1.332-after-clear.jsonl").map(lineOf), [
    "conversation 533103ba-406e-477b-a304-76accf5602b7",
    "command: /clear",
    "user: after the clear mu",
    "assistant: Fresh start. ENDMU.",
  ]);
});

test("results of calls that ran at the same time do not leave the branch", () => {
  const call = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: id } });
  const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: id }] }];
  assert.deepEqual(
    lines(
      human("u1", null, "go"),
      answer("a1", "u1", [call("t1")]),
      answer("a2", "a1", [call("t2")]),
      human("r1", "a1", result("t1"), { origin: undefined }),
      human("r2", "a2", result("t2"), { origin: undefined }),
      answer("b1", "r2", [{ type: "text", text: "done" }]),
    ),
    [
      "user: go",
      'tool-call Bash: {"command":"t1"}',
      'tool-call Bash: {"command":"t2"}',
      "tool-result: t1",
      "tool-result: t2",
      "assistant: done",
    ],
  );
});

test("older versions: no origin, and an answer that is written again as it grows", () => {
  const text = (value: string) => [{ type: "text", text: value }];
  const entries = entriesOfRows(
    "claude",
    human("u1", null, "go", { origin: undefined }),
    human("u2", "u1", "<system-reminder>x</system-reminder>", { origin: undefined }),
    human("u3", "u1", "Caveat: x", { origin: undefined, isMeta: true }),
    answer("a1", "u1", text("Hel")),
    answer("a2", "u1", text("Hello")),
    answer("a3", "u1", text("Another block")),
  );
  assert.deepEqual(
    entries.map((entry) => (entry.kind === "message" ? `${entry.id} ${entry.text}` : entry.kind)),
    ["conversation", "u1 go", "a1 Hel", "a1 Hello", "a3 Another block"],
  );
});

test("pastes lose their wrapping, an interrupted answer is marked, and prompts that were sent into a turn are said", () => {
  assert.deepEqual(
    lines(
      human("u1", null, 'see <pasted_content id="1">\nline 1\nline 2\n</pasted_content> please'),
      answer("a1", "u1", [{ type: "text", text: "Well" }]),
      human("i1", "a1", "[Request interrupted by user]", {
        origin: undefined,
        rowSource: "harness",
        interruptedMessageId: "msg_a",
      }),
      { type: "attachment", uuid: "q1", attachment: { type: "queued_command", prompt: "and this" } },
      { type: "brand-new", uuid: "n1" },
    ),
    [
      "user: see line 1\nline 2 please",
      "assistant: Well",
      "assistant interrupted: Well",
      "user: and this",
      "unknown: brand-new",
    ],
  );
});

test("what a sub-agent says has its id, and leaves no branch", () => {
  const inside = { isSidechain: true, agentId: "a9", origin: undefined };
  assert.deepEqual(
    lines(
      human("u1", null, "go"),
      human("s1", null, "look", inside),
      answer("s2", "s1", [{ type: "text", text: "x" }], inside),
    ),
    ["user: go", "user by a9: look", "assistant by a9: x"],
  );
});
