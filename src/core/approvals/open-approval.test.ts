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

test("a question is asked again in another row, after an answer; an agent's dialog moves with what is above it", () => {
  const answered = { ...open, answer: { option: "y", by: "input", timeUs: 1 } };
  const seen = sightingOf(dialog, frame);
  const at = (more: object): boolean => isAskedAgain({ ...answered, row: seen.row, ...more }, seen, frame);
  assert.deepEqual([at({}), at({ row: seen.row - 1 }), at({ row: seen.row - 1, answer: null })], [false, true, false]);
  const list = { layout: "list" as const };
  assert.deepEqual([at({ ...list, row: seen.row - 1 }), at({ ...list, row: seen.row + 1 })], [true, false]);
  const ofAgent = { ...open.approval, agent: "claude" };
  assert.equal(at({ ...list, row: seen.row - 1, approval: ofAgent }), false);
});
