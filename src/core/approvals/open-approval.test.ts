import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { noSubject, type Approval } from "../dialogs/approval.ts";
import { readDialog, type Dialog } from "../dialogs/dialog.ts";
import {
  isAskedAgain,
  isNews,
  isUnknown,
  sightingOf,
  untouched,
  withReading,
  type OpenApproval,
} from "./open-approval.ts";

const frame = frameOf("one\nGo on? [y/N] ");
const dialog = readDialog(frame, {
  profile: undefined,
  verdict: "prompt",
  prompt: null,
  isAtShellPrompt: false,
}) as Dialog;
const { layout, ...reading } = dialog;
const approval: Approval = {
  ...noSubject,
  ...reading,
  id: "a1",
  source: "screen",
  agent: null,
  offset: 1,
  timeUs: 0,
  state: "open",
  whyHint: null,
  answer: null,
};
const open: OpenApproval = { ...untouched, approval, layout, row: 1, seenTo: 1, canEcho: true };

test("a sighting has the row of the line of the cursor", () => {
  assert.equal(sightingOf(dialog, frame).row, 1);
  assert.equal(isUnknown(sightingOf(dialog, frame)), false);
  assert.equal(isUnknown(sightingOf({ ...dialog, layout: "unknown" }, frame)), true);
  assert.equal(isUnknown(null), false);
});

test("what was reported is news only when it is another object", () => {
  const reported = { ...open, isReported: true };
  assert.equal(isNews(open, null), false);
  assert.equal(isNews(reported, open), true);
  assert.equal(isNews(reported, { ...reported, typed: "y" }), false);
  assert.equal(withReading(approval, approval), approval);
  assert.notEqual(withReading(approval, { ...approval, details: "more" }), approval);
});

test("a line question is asked again in another row, after an answer", () => {
  const answered = { ...open, answer: { option: "y", by: "input", timeUs: 1 } };
  assert.equal(isAskedAgain(answered, frame), false);
  assert.equal(isAskedAgain({ ...answered, row: 0 }, frame), true);
  assert.equal(isAskedAgain({ ...open, row: 0 }, frame), false);
});
