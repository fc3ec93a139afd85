import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, entriesOfRows, lineOf } from "../../../test/support/transcript-fixtures.ts";

const session = (id: string, more: object = {}) => ({ table: "session", row: { id, parent_id: null, ...more } });
const message = (id: string, data: object) => ({ table: "message", row: { id, data: JSON.stringify(data) } });
const part = (id: string, owner: string, data: object, more: object = {}) => ({
  table: "part",
  row: { id, message_id: owner, session_id: "s", data: JSON.stringify(data), ...more },
});
const text = (value: string) => ({ type: "text", text: value });
const lines = (...rows: readonly unknown[]): string[] => entriesOfRows("opencode", ...rows).map(lineOf);

test("rows are what was said; an aborted answer is interrupted", () => {
  assert.deepEqual(entriesOf("opencode", "opencode-1.18.33.rows.jsonl").map(lineOf), [
    "conversation ses_de10d64bcffeRbxqDtlXi9ctBP",
    "user: please say uniq q0",
    "assistant: Unique reply here. ENDUNIQ.",
    'tool-call bash: {"command":"echo BETA-$((40+2)) | tee beta.flag"}',
    "tool-result: BETA-42\n",
    'tool-call bash: {"command":"echo DELTA | tee delta.flag"}',
    "tool-result: The user rejected permission to use this specific tool call.",
    "assistant interrupted: epsilon1 epsilon2 epsilon3 epsilon4 epsilon5 epsilon6 epsilo",
  ]);
});

test("rows change: a part that comes before its message, a tool that runs, an answer that is aborted later", () => {
  const tool = (state: object) => part("t", "b", { type: "tool", tool: "bash", callID: "c", state });
  assert.deepEqual(
    lines(
      part("p", "a", text("one")),
      message("a", { role: "user" }),
      message("b", { role: "assistant" }),
      part("q", "b", text("")),
      tool({ status: "pending", input: {} }),
      tool({ status: "running", input: { command: "ls" } }),
      tool({ status: "completed", input: { command: "ls" }, output: "x", metadata: { truncated: true } }),
      part("q", "b", text("Half")),
      message("b", { role: "assistant", error: { name: "MessageAbortedError" } }),
      message("d", { role: "assistant", error: { name: "APIError", data: { message: "400" } } }),
    ),
    [
      "user: one",
      'tool-call bash: {"command":"ls"}',
      "tool-result cut: x",
      "assistant: Half",
      "assistant interrupted: Half",
      "failed: 400",
    ],
  );
});

test("a reverted session takes back a message and all after it, and has them again after that", () => {
  const rows = [
    message("a", { role: "user" }),
    part("p", "a", text("one")),
    message("b", { role: "user" }),
    part("q", "b", text("two")),
  ];
  const revert = JSON.stringify({ messageID: "b" });
  assert.deepEqual(lines(session("s"), ...rows, session("s", { revert }), ...rows, session("s"), ...rows), [
    "conversation s",
    "user: one",
    "user: two",
    "rewound: q",
    "user: two",
  ]);
});

test("sub-agents, summaries, and what is unknown", () => {
  assert.deepEqual(
    lines(
      session("s", { id: "child", parent_id: "s" }),
      message("a", { role: "assistant" }),
      part("p", "a", text("inside"), { session_id: "child" }),
      message("b", { role: "assistant", summary: true }),
      part("q", "b", text("summary")),
      part("r", "b", { type: "compaction" }),
      part("x", "b", { type: "sparkle" }),
      { table: "glitter", row: {} },
    ),
    ["assistant by child: inside", "compacted: ", "unknown: part/sparkle", "unknown: table/glitter"],
  );
});
