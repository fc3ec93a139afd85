import assert from "node:assert/strict";
import { test } from "node:test";
import { LastNotices } from "./last-notices.ts";
import { paceOf } from "./pace.ts";

const GAP_MS = 10_000;

const waitAfter = (last: LastNotices, nowMs: number): number => {
  const facts = { nowMs, sinceMs: nowMs, afterMs: 0, seenMs: null, lastMs: last.of("files", "phone"), gapMs: GAP_MS };
  const pace = paceOf(facts);
  return pace.type === "wait" ? pace.untilMs - nowMs : 0;
};

test("after a notice the next one to the same channel waits for the whole gap, and after one that was not sent for a second", () => {
  const last = new LastNotices(GAP_MS);
  assert.equal(waitAfter(last, 50_000), 0);
  last.made("files", "phone", 50_000);
  assert.deepEqual([last.of("files", "team"), last.of("other", "phone")], [null, null]);
  assert.equal(waitAfter(last, 50_000), GAP_MS);
  last.notSent("files", "phone", 50_000);
  assert.equal(waitAfter(last, 50_000), 1000);
});

test("a notice that is withdrawn late does not shorten the gap after a later one", () => {
  const last = new LastNotices(GAP_MS);
  last.made("files", "phone", 50_000);
  last.made("files", "phone", 60_000);
  last.notSent("files", "phone", 50_000);
  assert.equal(waitAfter(last, 60_000), GAP_MS);
  last.forget("files");
  assert.equal(last.of("files", "phone"), null);
});
