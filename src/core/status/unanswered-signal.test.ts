import assert from "node:assert/strict";
import { test } from "node:test";
import type { Signal } from "./signal.ts";
import type { Unanswered } from "../typing/unanswered.ts";
import { discounted, isForgotten, unansweredSignal, unansweredWakesUs } from "./unanswered-signal.ts";

const sent: Unanswered = { text: "hello", offset: 3, timeUs: 7 };

test("what was sent says that an answer is due, for a while", () => {
  assert.equal(unansweredSignal(sent, 1_000_000, true)?.says, "working");
  assert.equal(unansweredSignal(sent, sent.timeUs + 7_999_999, true)?.says, "working");
  assert.equal(unansweredSignal(sent, sent.timeUs + 8_000_000, true), null);
  assert.equal(unansweredSignal(sent, 9_000_000, false)?.says, "working");
  assert.deepEqual(unansweredWakesUs(sent, true), [8_000_007, 30_000_007]);
  assert.deepEqual(
    [8_000_007, 30_000_006, 30_000_007].map((timeUs) => isForgotten(sent, timeUs)),
    [false, false, true],
  );
});

test("an old prompt says nothing about a new line", () => {
  const signal: Signal = {
    kind: "title",
    says: "waiting",
    allows: ["waiting"],
    isFirm: true,
    text: "",
    rule: null,
    offset: 0,
    timeUs: 5,
  };
  assert.equal(discounted(signal, sent).isFirm, false);
  assert.equal(discounted({ ...signal, timeUs: 8 }, sent).isFirm, true);
  assert.equal(discounted({ ...signal, kind: "screen", timeUs: 8 }, sent).isFirm, false);
  assert.equal(discounted({ ...signal, says: "working" }, sent).isFirm, true);
});
