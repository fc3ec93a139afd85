import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf, type FrameOptions } from "../../../test/frames.ts";
import { questionOfKeyReader } from "./dialog.ts";

const context = { profile: undefined, verdict: "raw", isAtShellPrompt: false } as const;
const hidden = { isCursorHidden: true };
const asked = (text: string, options: FrameOptions = {}, more: object = {}): string | null =>
  questionOfKeyReader(frameOf(text, options), { ...context, ...more });

test("a program that has hidden the cursor and takes keys asks, whatever it shows", () => {
  assert.equal(asked("Overwrite what is there?\n\npress a key", hidden), "Overwrite what is there?");
  assert.equal(asked("Press any key", hidden), "(it takes keys, and shows no question that is known)");
});

test("one that reads lines, works, or edits text does not", () => {
  assert.equal(asked("Press any key", hidden, { verdict: "busy" }), null);
  assert.equal(asked("Press any key", hidden, { verdict: "prompt" }), null);
  assert.equal(asked("~ $ ", hidden, { isAtShellPrompt: true }), null);
  assert.equal(asked("Press any key|"), null);
  assert.equal(asked("\u001B[?2004h> ", hidden), null);
});

test("so do a question with the mark of the libraries, and a list behind a filter", () => {
  assert.equal(asked("? Conflict on file.js (yxH) |"), "? Conflict on file.js (yxH)");
  assert.notEqual(asked("\u001B[?2004h> one\n  two\n  2/2\n> |"), null);
  // It is written in Go: which of its threads reads changes all the time.
  assert.notEqual(asked("> one\n  two\n  2/2\n> |", {}, { verdict: "busy", canonical: false }), null);
  assert.equal(asked("> one\n  two\n  2/2\n> |", {}, { verdict: "busy", canonical: true }), null);
});

test("so does a dialog with buttons, although it takes pastes for its fields", () => {
  const dialog = "\u001B[?2004h│ Which breakfast would you like? │\n│ (*) Eggs │\n│ < Ok > < Cancel > │";
  assert.equal(asked(dialog, {}, { verdict: "listening", canonical: false }), "Which breakfast would you like?");
});
