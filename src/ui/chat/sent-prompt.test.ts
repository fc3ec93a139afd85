import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt, ReceiptState } from "../../core/acting/receipt.ts";
import {
  keptPrompts,
  promptsAfterLoad,
  scheduledText,
  shownPrompts,
  stepsReached,
  withPrompt,
  withReceipt,
  type SentPrompt,
} from "./sent-prompt.ts";

const receipt = (key: string, state: ReceiptState): Receipt => ({
  key,
  session: "s",
  text: key,
  state,
  reason: null,
  steps: [],
});

const sent = (key: string, state: SentPrompt["state"]): SentPrompt => ({ key, text: key, state, reason: null });

const told = (prompts: readonly SentPrompt[]): string => prompts.map(({ key, state }) => `${key}:${state}`).join(" ");

test("a page that was loaded again knows its prompts, and says of one that the daemon never had", () => {
  const kept = [sent("a", "sending"), sent("b", "working"), sent("c", "sending")];
  const receipts = [receipt("old", "done"), receipt("a", "done"), receipt("b", "working"), receipt("cli", "accepted")];
  assert.equal(told(promptsAfterLoad(kept, receipts)), "a:done b:working cli:accepted c:unanswered");
});

test("what is not over is shown, and what is over until the next one is sent", () => {
  const all = [sent("a", "done"), sent("b", "unanswered"), sent("c", "refused")];
  assert.equal(told(shownPrompts(all)), "b:unanswered c:refused");
  assert.equal(told(shownPrompts([...all, sent("d", "working")])), "b:unanswered d:working");
});

test("what may still become something is kept: what is over or was refused is not", () => {
  const all = [sent("a", "done"), sent("b", "failed"), sent("c", "refused"), sent("d", "sending"), sent("e", "echoed")];
  assert.deepEqual(
    keptPrompts(all).map(({ key }) => key),
    ["d", "e"],
  );
});

test("a prompt takes the place that it had", () => {
  const all = [sent("a", "accepted"), sent("b", "sending")];
  assert.equal(told(withPrompt(all, sent("a", "done"))), "a:done b:sending");
  assert.equal(told(withPrompt(all, sent("c", "sending"))), "a:accepted b:sending c:sending");
});

test("what the daemon says of a prompt counts, and never what it said before that", () => {
  const all = [sent("a", "sending"), sent("b", "working"), sent("c", "unanswered")];
  const after = [receipt("a", "accepted"), receipt("b", "echoed"), receipt("c", "cancelled")].reduce(withReceipt, all);
  assert.equal(told(after), "a:accepted b:working c:cancelled");
  assert.equal(told(withReceipt(after, receipt("x", "done"))), told(after), "of another page, and over");
  assert.equal(told(withReceipt([], receipt("x", "accepted"))), "x:accepted");
  assert.equal(withReceipt(after, receipt("b", "working")), after);
});

test("the steps of a receipt are counted in their order", () => {
  const states = ["sending", "accepted", "submitted", "done", "failed"] as const;
  assert.deepEqual(
    states.map((state) => stepsReached({ state })),
    [0, 1, 4, 6, 0],
  );
});

test("a scheduled prompt says when it is typed, and is shown until then", () => {
  const nowMs = new Date(2026, 10, 26, 12).getTime();
  const dueUs = (day: number): number => new Date(2026, 10, day, 14, 5).getTime() * 1000;
  assert.equal(scheduledText({ dueUs: dueUs(26) }, nowMs), "Scheduled for 14:05");
  assert.equal(scheduledText({ dueUs: dueUs(30) }, nowMs), "Scheduled for 2026-11-30 14:05");
  assert.match(scheduledText({}, nowMs), /end of the usage limit/);
  const [shown] = withReceipt([], { ...receipt("a", "scheduled"), dueUs: dueUs(26) });
  assert.deepEqual([shown?.state, shown?.dueUs], ["scheduled", dueUs(26)]);
  assert.equal(
    told(shownPrompts([...withReceipt([], receipt("a", "scheduled")), sent("b", "done")])),
    "a:scheduled b:done",
  );
});
