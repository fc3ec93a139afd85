import assert from "node:assert/strict";
import { test } from "node:test";
import { advance, isFinal, type Receipt } from "./receipt.ts";

const accepted: Receipt = {
  key: "k",
  session: "s",
  text: "hello",
  state: "accepted",
  reason: null,
  steps: [{ state: "accepted", timeUs: 1, offset: 0 }],
};
const at = (state: Receipt["state"]): Receipt["steps"][number] => ({ state, timeUs: 2, offset: 5 });

test("a receipt goes forward only, and ends once", () => {
  const working = advance(advance(accepted, at("echoed")), at("working"));
  assert.deepEqual(
    working.steps.map(({ state }) => state),
    ["accepted", "echoed", "working"],
  );
  assert.equal(advance(working, at("submitted")), working);
  const done = advance(working, at("done"));
  assert.ok(isFinal(done));
  assert.equal(advance(done, at("failed"), { reason: "late" }), done);
});

test("a scheduled prompt is accepted later, or cancelled before", () => {
  const scheduled: Receipt = { ...accepted, state: "scheduled", dueUs: 9, steps: [{ ...at("scheduled"), timeUs: 1 }] };
  const later = advance(scheduled, at("accepted"));
  assert.deepEqual([later.state, later.dueUs, later.steps.length], ["accepted", 9, 2]);
  assert.equal(advance(later, at("scheduled")), later);
  assert.ok(isFinal(advance(scheduled, at("cancelled"))));
});

test("a receipt that was cancelled is at its end", () => {
  const cancelled = advance(accepted, at("cancelled"));
  assert.ok(isFinal(cancelled));
  assert.equal(advance(cancelled, at("echoed")), cancelled);
});

test("the same state again changes the reason only", () => {
  const waiting = advance(accepted, at("accepted"), { reason: "waits for its prompt" });
  assert.deepEqual([waiting.reason, waiting.steps.length], ["waits for its prompt", 1]);
  assert.equal(advance(waiting, at("accepted"), { reason: "waits for its prompt" }), waiting);
});

test("a failed receipt has what it left behind", () => {
  const failed = advance(accepted, at("failed"), { reason: "not taken", left: "hel" });
  assert.deepEqual(
    [failed.left, "left" in advance(accepted, at("failed"), { reason: "not taken", left: "" })],
    ["hel", false],
  );
});
