import assert from "node:assert/strict";
import { test } from "node:test";
import { Observed } from "../../../test/observed.ts";
import { wireTurn } from "../../../test/marks.ts";
import { frameOf } from "../../../test/frames.ts";
import type { Step } from "../observe/step.ts";
import { StatusFold } from "./status-fold.ts";
import { currentLimit, limitSummary } from "./usage-limit.ts";

/** Thursday, 26 November 2026, 01:19 UTC. */
const beginUs = Date.UTC(2026, 10, 26, 1, 19) * 1000;
const hourUs = 3600 * 1e6;
const endUs = beginUs + 3 * hourUs;
const rule = "─".repeat(80);
const at = (us: number) => ({ offset: us / 1e6, timeUs: beginUs + us });
const start: Step = { type: "start", command: ["claude"], timeZone: "Europe/Berlin", ...at(0) };
const shown = (above: string, us: number): Step => ({
  type: "frame",
  frame: {
    ...frameOf(`${above}\n${rule}\n❯ \n${rule}\n  ⏸ manual mode on · ? for shortcuts`, { isCursorHidden: true }),
    ...at(us),
  },
});
const notice = "  ⎿  You've hit your limit · resets 5:19am (Europe/Berlin)";
const limited = (us: number): Step => shown(notice, us);
const tick = (us: number): Step => ({ type: "tick", timeUs: beginUs + us });
const turn = (us: number, change: object): Step => ({
  type: "mark",
  event: wireTurn(change),
  end: us / 1e6,
  ...at(us),
});

/** `state summary until` of each change. */
function changes(...steps: readonly Step[]): string[] {
  const fold = new Observed(new StatusFold(), { markNonce: null });
  return steps
    .flatMap((step) => fold.step(step))
    .map(({ state, summary, limit }) =>
      limit === undefined ? state : `${state}, ${summary}, ${(limit.untilUs ?? 0) === endUs ? "end" : limit.untilUs}`,
    );
}

test("a limit on the screen is a part of the status until its time, and the same notice is not that of the next day", () => {
  assert.deepEqual(changes(start, shown("● hi", 1e6), limited(2e6), limited(2 * hourUs)), [
    "starting",
    "waiting",
    "waiting, limit until 04:19 UTC, end",
  ]);
  assert.deepEqual(changes(start, limited(2e6), tick(3 * hourUs), limited(3 * hourUs + 1e6)).slice(1), [
    "waiting, limit until 04:19 UTC, end",
    "waiting",
  ]);
});

test("it ends with the notice, and with an answer of the model", () => {
  assert.deepEqual(changes(start, limited(2e6), shown("● hi again", 3e6)).slice(-1), ["waiting"]);
  const reported = turn(3e6, { status: 429, error: { type: "x", message: "No more" }, limit: { untilUs: endUs } });
  const quiet = shown("● hi", 2e6);
  assert.deepEqual(changes(start, quiet, reported, shown("● hi", 4e6)).slice(-1), [
    "waiting, limit until 04:19 UTC, end",
  ]);
  assert.deepEqual(changes(start, quiet, reported, turn(4e6, { status: 200, error: null })).slice(-1), ["waiting"]);
});

test("a status that is restored has its limit", () => {
  const fold = new StatusFold();
  const observed = new Observed(fold, { markNonce: null });
  for (const step of [start, limited(2e6)]) observed.step(step);
  const again = new StatusFold(JSON.parse(JSON.stringify(fold.save())));
  assert.equal(again.status?.limit?.untilUs, endUs);
  assert.equal(again.wakeUs, fold.wakeUs);
});

test("an agent that works or has ended has no limit", () => {
  const limit = { source: "wire", text: "No more", untilUs: null } as const;
  assert.deepEqual(currentLimit(limit, "waiting", 0), { untilUs: null, text: "No more" });
  assert.equal(currentLimit(limit, "working", 0), null);
  assert.equal(currentLimit(limit, "exited", 0), null);
});

test("a limit ends at its time", () => {
  const limit = { source: "wire", text: "No more", untilUs: endUs } as const;
  assert.deepEqual(currentLimit(limit, "waiting", endUs - 1), { untilUs: endUs, text: "No more" });
  assert.equal(currentLimit(limit, "waiting", endUs), null);
});

test("the summary has the time in UTC, and the day if that is not within 24 hours", () => {
  assert.equal(limitSummary({ untilUs: endUs, text: "" }, beginUs), "limit until 04:19 UTC");
  assert.equal(limitSummary({ untilUs: endUs + 24 * hourUs, text: "" }, beginUs), "limit until 2026-11-27 04:19 UTC");
  assert.equal(limitSummary({ untilUs: null, text: "" }, beginUs), "usage limit, end unknown");
});
