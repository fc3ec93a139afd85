import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject, type Approval } from "../dialogs/approval.ts";
import { ApprovalMessages, approvalText } from "./approval-messages.ts";
import { MessageLog } from "./message-log.ts";

const approval: Approval = {
  id: "a1",
  source: "screen",
  kind: "permission",
  agent: "claude",
  question: "Do you want to proceed?",
  details: "rm -rf out",
  options: [
    { id: "1", label: "Yes", effect: "allow" },
    { id: "2", label: "No", effect: "deny" },
  ],
  ...noSubject,
  selected: "1",
  isComplete: true,
  whyHint: null,
  offset: 10,
  timeUs: 1_000,
  state: "open",
  answer: null,
};

test("a question is one message, which gets the answer", () => {
  const log = new MessageLog();
  const messages = new ApprovalMessages(log);
  messages.see(approval);
  const [asked] = log.take();
  assert.deepEqual([asked?.role, asked?.approval, asked?.isPartial], ["approval", "a1", true]);
  const restored = new ApprovalMessages(log, JSON.parse(JSON.stringify(messages.save())));
  restored.see({ ...approval, state: "answered", answer: { option: "2", by: "ann", timeUs: 2_000 } });
  const [answered] = log.take();
  assert.deepEqual([answered?.id, answered?.isPartial, answered?.endTimeUs], [asked?.id, false, 2_000]);
  assert.equal(answered?.text, "Do you want to proceed?\nrm -rf out\n[ ] 1. Yes\n[x] 2. No\nanswered by ann");
  restored.see({ ...approval, id: "a2" });
  assert.notEqual(log.take()[0]?.id, asked?.id);
});

test("a question that went by itself says so", () => {
  assert.match(approvalText({ ...approval, state: "gone" }), /gone without an answer$/);
});
