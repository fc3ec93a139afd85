import assert from "node:assert/strict";
import { test } from "node:test";
import { planAnswer } from "./answer-plan.ts";

const seen = {
  keys: { keys: ["Enter"], isComplete: true },
  whyUnread: null,
  applicationCursor: true,
  open: { selected: "1", digest: "d" },
  isAnswered: false,
  isOutdated: false,
  isMeant: true,
  target: null,
};
const none = { presses: 0, movedFrom: null, mayCome: true };
const down = { ...seen, keys: { keys: ["Down"], isComplete: false } };

/** The keys as text, and whether they answer; or why there are none. */
function planned(now: object, before: object = none): unknown {
  const plan = planAnswer({ ...seen, ...now }, { digest: "d" }, { ...none, ...before });
  if (!("steps" in plan)) return plan;
  const steps = plan.steps.map(({ bytes }) => Buffer.from(bytes).toString());
  return [steps.join(" then "), plan.isComplete, plan.movedFrom];
}

test("a mark is moved by one key, and its place is remembered", () => {
  assert.deepEqual(planned(down), ["\u001BOB", false, "1"]);
  assert.deepEqual(planned(seen, { presses: 1, movedFrom: "2" }), ["\r", true, null]);
});

test("Enter is a step of its own behind the answer that is typed", () => {
  const typed = (...keys: string[]): unknown => planned({ keys: { keys, isComplete: true } });
  assert.deepEqual(typed("y", "e", "s", "Enter"), ["yes then \r", true, null]);
  assert.deepEqual(typed("y"), ["y", true, null]);
});

test("nothing is pressed while the last key is not taken, and after its time the answer is refused", () => {
  const pressed = { presses: 1, movedFrom: "1" };
  assert.deepEqual(planned(down, pressed), { isEarly: true });
  assert.deepEqual(planned(down, { ...pressed, mayCome: false }), { reason: "unknown" });
  assert.deepEqual(planned({ keys: null }), { isEarly: true });
  assert.deepEqual(planned({ keys: null }, { mayCome: false }), { reason: "unknown" });
});

test("nothing is pressed while it is not known whether the program reads now, and after its time the answer is refused", () => {
  const outdated = { isOutdated: true, whyUnread: "sleep is busy and does not read" };
  assert.deepEqual(planned(outdated), { isEarly: true });
  assert.deepEqual(planned(outdated, { mayCome: false }), { reason: "outdated" });
  assert.deepEqual(planned({ ...outdated, open: undefined, isAnswered: true }, { presses: 1 }), { isDone: true });
});

test("another question, another program and one that does not read are refused", () => {
  assert.deepEqual(planned({ open: { selected: "1", digest: "e" } }), { reason: "changed" });
  assert.deepEqual(planned({ isMeant: false }), { reason: "changed" });
  assert.deepEqual(planned({ open: undefined }), { reason: "changed" });
  assert.deepEqual(planned({ whyUnread: "sleep is busy and does not read" }), { reason: "hint" });
  assert.deepEqual(planned({ open: undefined, isAnswered: true }, { presses: 1 }), { isDone: true });
  assert.deepEqual(planned(seen, { presses: 100 }), { reason: "unknown" });
});
