import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, entriesOfRows, lineOf } from "../../../test/support/transcript-fixtures.ts";

const message = (id: string, role: string, content: unknown) => ({ id, role, content });
const document = (...messages: readonly object[]) => ({ sessionId: "s", messages });

test("a document is what was said, without the wrapping of prompts", () => {
  assert.deepEqual(entriesOf("cline", "cline-3.0.65.messages.jsonl").map(lineOf), [
    "conversation 1795815537487_c6t1h",
    "user: please say uniq q0",
    "assistant: Unique reply here. ENDUNIQ.",
    "assistant: I run beta. PREBETA.",
    'tool-call run_commands: {"commands":["echo BETA-$((40+2)) | tee beta.flag"]}',
    "tool-result: BETA-42\n",
    "failed: This model does not exist ETAERR.",
  ]);
});

test("each document reports what is new, changed or gone", () => {
  const [a, b] = [message("a", "user", "one"), message("b", "assistant", [{ type: "text", text: "ONE" }])];
  const grown = message("b", "assistant", [{ type: "text", text: "ONE and more" }]);
  assert.deepEqual(
    entriesOfRows("cline", document(a), document(a, b), document(a, grown), document(a), {}).map(lineOf),
    [
      "conversation s",
      "user: one",
      "assistant: ONE",
      "assistant: ONE and more",
      "rewound: b",
      "unknown: document without messages",
    ],
  );
});
