import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject } from "../../core/dialogs/approval.ts";
import { readApproveWords } from "./approve.ts";

const asked = (id: string, state: "open" | "hint" = "open") => ({
  ...noSubject,
  id,
  state,
  session: "claude",
  source: "screen" as const,
  kind: "permission" as const,
  agent: "claude",
  question: `May I run ${id}?`,
  details: "",
  options: [
    { id: "1", label: "Yes", effect: "allow" as const },
    { id: "2", label: "No", effect: "deny" as const },
  ],
  isComplete: true,
  selected: null,
  offset: 0,
  timeUs: 0,
  whyHint: null,
  digest: "9f86d081884c7d65",
  answer: null,
});
const meant = (words: readonly [string?, string?], ...ids: readonly ReturnType<typeof asked>[]) => {
  const found = readApproveWords({ session: "claude", id: words[0], option: words[1] }, ids);
  return [found.asked.id, found.option];
};

test("an id names its question, an option alone the only open one", () => {
  assert.deepEqual(meant(["q1"], asked("q1"), asked("q2")), ["q1", "allow"]);
  assert.deepEqual(meant(["q2", "2"], asked("q1"), asked("q2")), ["q2", "2"]);
  assert.deepEqual(meant([], asked("q1")), ["q1", "allow"]);
  assert.deepEqual(meant(["deny"], asked("q1")), ["q1", "deny"]);
  assert.deepEqual(meant(["2"], asked("q1"), asked("q0", "hint")), ["q1", "2"]);
});

test("without certainty nothing is answered", () => {
  const several = { code: "CONFLICT", message: /it asks 2 questions, name one: q1 \(May I run q1\?.*\), q2 \(/ };
  assert.throws(() => meant([], asked("q1"), asked("q2")), several);
  assert.throws(() => meant(["deny"], asked("q1"), asked("q2")), several);
  const gone = { code: "NOT_FOUND", message: /answered or withdrawn/ };
  assert.throws(() => meant(["a9"], asked("q1")), gone);
  assert.throws(() => meant(["a9", "1"], asked("q1")), gone);
  assert.throws(() => meant([]), gone);
  assert.throws(() => meant([], asked("q1", "hint")), gone);
});
