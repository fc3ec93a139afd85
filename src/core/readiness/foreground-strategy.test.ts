import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForegroundLook } from "../events/foreground.ts";
import type { ForegroundVerdict } from "../records.ts";
import { ForegroundStrategy } from "./foreground-strategy.ts";

const look = (verdict: ForegroundVerdict): ForegroundLook => ({
  verdict,
  pid: 1,
  group: 1,
  program: "x",
  echo: true,
  canonical: true,
  reasons: [],
});
const asked = (): ForegroundStrategy => new ForegroundStrategy({ source: "asked", listeningQuietMs: 200 }, 0);
const told = (): ForegroundStrategy => new ForegroundStrategy({ source: "told", listeningQuietMs: 200 }, 0);

test("ForegroundStrategy says what the program waits for at the first look that sees it", () => {
  for (const [verdict, asks] of [
    ["prompt", "line"],
    ["password", "password"],
    ["raw", "keys"],
  ] as const) {
    const strategy = asked();
    assert.ok(strategy.lookDueMs <= 1);
    strategy.look(look("busy"), 1);
    assert.equal(strategy.verdict(1), undefined);
    strategy.look(look(verdict), 3);
    assert.deepEqual(strategy.verdict(3), { reason: "foreground", asks });
  }
});

test("ForegroundStrategy forgets a look when something moves after it", () => {
  const strategy = asked();
  strategy.look(look("raw"), 5);
  strategy.moved(6);
  assert.equal(strategy.verdict(500), undefined);
  assert.ok(strategy.lookDueMs <= 8);
});

test("ForegroundStrategy lets quiet decide where the program only listens", () => {
  const strategy = told();
  strategy.moved(100);
  strategy.look(look("listening"), 101);
  assert.equal(strategy.dueMs, 300);
  assert.equal(strategy.verdict(299), undefined);
  assert.deepEqual(strategy.verdict(300), { reason: "quiet", asks: null });
});

/** Looks whenever one is due, but for the time in which the machine stands still; when it is ready, and why. */
function looked(verdictAt: (nowMs: number) => ForegroundVerdict, standsStill: readonly [number, number]): string {
  const strategy = asked();
  for (let nowMs = 0; nowMs < 1000; nowMs++) {
    if (nowMs >= standsStill[0] && nowMs < standsStill[1]) continue;
    if (strategy.lookDueMs <= nowMs) strategy.look(look(verdictAt(nowMs)), nowMs);
    const verdict = strategy.verdict(nowMs);
    if (verdict !== undefined) return `${verdict.reason} ${nowMs}`;
    assert.ok(Math.min(strategy.lookDueMs, strategy.dueMs) > nowMs);
  }
  return "never";
}

test("ForegroundStrategy looks once more when a listener was quiet for long enough", () => {
  assert.equal(
    looked(() => "listening", [0, 0]),
    "quiet 200",
  );
  assert.equal(
    looked((nowMs) => (nowMs < 199 ? "listening" : "raw"), [0, 0]),
    "foreground 200",
  );
});

test("ForegroundStrategy takes no time for quiet in which the machine stood still", () => {
  // The first to run again is the one that looks: what the program would have done meanwhile it does then.
  assert.equal(
    looked((nowMs) => (nowMs < 310 ? "listening" : "raw"), [5, 305]),
    "foreground 313",
  );
  assert.equal(
    looked(() => "listening", [5, 305]),
    "quiet 374",
  );
});

test("ForegroundStrategy ends at a job that stays stopped, and says that nobody is asked", () => {
  const strategy = asked();
  strategy.look(look("stopped"), 5);
  assert.equal(strategy.verdict(5), undefined);
  assert.deepEqual(strategy.verdict(100), { reason: "foreground", asks: null });
});

test("ForegroundStrategy never ends at a program that computes", () => {
  const strategy = asked();
  strategy.look(look("busy"), 5);
  assert.equal(strategy.isBusy, true);
  assert.equal(strategy.verdict(1_000_000), undefined);
  assert.equal(strategy.dueMs, Number.POSITIVE_INFINITY);
});

test("ForegroundStrategy wants no looks where they are told, and takes one that comes at once", () => {
  const strategy = told();
  assert.equal(strategy.lookDueMs, Number.POSITIVE_INFINITY);
  strategy.look(look("raw"), 10);
  assert.deepEqual(strategy.verdict(10), { reason: "foreground", asks: "keys" });
});

test("ForegroundStrategy takes a standing word only when nothing was told for a while after the last movement", () => {
  const strategy = told();
  strategy.standing(look("raw"));
  strategy.moved(100);
  assert.equal(strategy.dueMs, 200);
  assert.equal(strategy.verdict(199), undefined);
  assert.deepEqual(strategy.verdict(200), { reason: "foreground", asks: "keys" });
});

test("ForegroundStrategy trusts a standing word less while a shell has a command to start", () => {
  const strategy = new ForegroundStrategy({ source: "told", listeningQuietMs: 200, owesMark: true }, 0);
  strategy.standing(look("raw"));
  strategy.moved(100);
  assert.equal(strategy.verdict(2099), undefined);
  assert.deepEqual(strategy.verdict(2100), { reason: "foreground", asks: "keys" });
});

test("ForegroundStrategy trusts a standing word less until something comes of what was typed", () => {
  const strategy = new ForegroundStrategy({ source: "told", listeningQuietMs: 200, isUnanswered: true }, 0);
  strategy.standing(look("raw"));
  assert.equal(strategy.verdict(1999), undefined);
  assert.deepEqual(strategy.verdict(2000), { reason: "foreground", asks: "keys" });
  strategy.moved(2000);
  assert.equal(strategy.verdict(2099), undefined);
  assert.deepEqual(strategy.verdict(2100), { reason: "foreground", asks: "keys" });
});

test("ForegroundStrategy drops a standing word when something has begun to run", () => {
  const strategy = told();
  strategy.standing(look("raw"));
  strategy.moved(100);
  strategy.started({ isTrusted: true });
  assert.equal(strategy.verdict(10_000), undefined);
  strategy.look(look("password"), 10_001);
  assert.deepEqual(strategy.verdict(10_001), { reason: "foreground", asks: "password" });
});

test("ForegroundStrategy keeps a look behind a start that any program can have printed", () => {
  const strategy = told();
  strategy.standing(look("busy"));
  strategy.moved(100);
  strategy.started({ isTrusted: false });
  assert.deepEqual([strategy.isBusy, strategy.knowsNothing], [true, false]);
});

test("ForegroundStrategy wants no look before the time from which one is useful", () => {
  const strategy = new ForegroundStrategy({ source: "asked", listeningQuietMs: 200, firstLookMs: 5 }, 100);
  assert.equal(strategy.lookDueMs, 105);
  strategy.moved(120);
  assert.equal(strategy.lookDueMs, 105, "the schedule keeps the earlier of two looks");
});
