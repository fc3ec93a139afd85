import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Breaker, type BreakerOptions } from "./breaker.ts";

const options: BreakerOptions = { windowMs: 1_000, callsMin: 4, failureShare: 0.5, openMs: 100, openMsMax: 300 };

/** Each letter is a call: `s` success, `f` failure, `i` ignored, `.` refused. Gives what came of them. */
function run(breaker: Breaker, letters: string, nowMs: number): string {
  return letters
    .split("")
    .map((letter) => {
      const answer = breaker.ask(nowMs);
      if (!answer.pass) return ".";
      breaker.report({
        permit: answer.permit,
        outcome: letter === "s" ? "success" : letter === "f" ? "failure" : "ignored",
        nowMs,
      });
      return letter;
    })
    .join("");
}

test("a breaker opens at the share of failures and not before enough calls", () => {
  const breaker = new Breaker(options);
  assert.equal(run(breaker, "fff", 0), "fff");
  assert.equal(breaker.state(0), "closed");
  assert.equal(run(breaker, "ff", 0), "f.");
  assert.equal(breaker.state(0), "open");
  assert.equal(run(new Breaker(options), "sssfffs", 0), "sssfff.");
  assert.equal(run(new Breaker(options), "ssssfffs", 0), "ssssfffs");
});

test("ignored calls count for nothing", () => {
  assert.equal(run(new Breaker(options), "fffiiiis", 0), "fffiiiis");
});

test("failures outside of the window are forgotten", () => {
  const breaker = new Breaker(options);
  run(breaker, "fff", 0);
  assert.equal(run(breaker, "fs", 1_100), "fs");
});

test("an open breaker tells how long, then lets one trial through, and closes on success", () => {
  const breaker = new Breaker(options);
  run(breaker, "ffff", 0);
  assert.deepEqual(breaker.ask(40), { pass: false, state: "open", retryInMs: 60 });
  assert.equal(breaker.state(100), "half-open");
  const trial = breaker.ask(100);
  assert.ok(trial.pass);
  assert.equal(breaker.ask(100).pass, false);
  breaker.report({ permit: trial.permit, outcome: "success", nowMs: 110 });
  assert.equal(breaker.state(110), "closed");
  assert.equal(run(breaker, "fff", 110), "fff");
});

test("each failed trial doubles the wait up to its limit, and a success resets it", () => {
  const breaker = new Breaker(options);
  run(breaker, "ffff", 0);
  const waits: number[] = [];
  let nowMs = 100;
  for (let round = 0; round < 4; round += 1) {
    run(breaker, "f", nowMs);
    const refused = breaker.ask(nowMs);
    assert.ok(!refused.pass);
    waits.push(refused.retryInMs);
    nowMs += refused.retryInMs;
  }
  assert.deepEqual(waits, [200, 300, 300, 300]);
  run(breaker, "sffff", nowMs);
  const refused = breaker.ask(nowMs);
  assert.equal(!refused.pass && refused.retryInMs, 100);
});

test("a trial that was given up frees its place", () => {
  const breaker = new Breaker(options);
  run(breaker, "ffff", 0);
  assert.equal(run(breaker, "is", 100), "is");
  assert.equal(breaker.state(100), "closed");
});

test("an outcome from before the last change of state says nothing", () => {
  const breaker = new Breaker(options);
  const late = breaker.ask(0);
  assert.ok(late.pass);
  run(breaker, "ffff", 0);
  breaker.ask(100);
  breaker.report({ permit: late.permit, outcome: "success", nowMs: 100 });
  assert.equal(breaker.state(100), "half-open");
});

test("failures of calls from before it closed again do not open it", () => {
  const breaker = new Breaker(options);
  const late = Array.from({ length: 5 }, () => breaker.ask(0));
  run(breaker, "ffff", 0);
  run(breaker, "s", 100);
  for (const answer of late) {
    if (answer.pass) breaker.report({ permit: answer.permit, outcome: "failure", nowMs: 100 });
  }
  assert.equal(breaker.state(100), "closed");
});

test("a breaker never lets more trials through than it should", () => {
  const step = fc.record({
    ms: fc.nat(150),
    outcome: fc.constantFrom("success" as const, "failure" as const, "ignored" as const),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const breaker = new Breaker(options);
      const open: number[] = [];
      let nowMs = 0;
      for (const { ms, outcome } of steps) {
        nowMs += ms;
        const before = breaker.state(nowMs);
        const answer = breaker.ask(nowMs);
        if (before === "open") assert.equal(answer.pass, false);
        if (before === "closed") assert.equal(answer.pass, true);
        if (answer.pass) open.push(answer.permit);
        const permit = ms % 2 === 0 ? open.shift() : undefined;
        if (permit !== undefined) breaker.report({ permit, outcome, nowMs });
      }
    }),
  );
});

test("a trial that is never reported is replaced", () => {
  const breaker = new Breaker({ callsMin: 1, openMs: 10, openMsMax: 100 });
  const first = breaker.ask(0);
  assert.ok(first.pass);
  breaker.report({ permit: first.permit, outcome: "failure", nowMs: 0 });
  assert.ok(breaker.ask(10).pass);
  assert.equal(breaker.ask(109).pass, false);
  const next = breaker.ask(110);
  assert.ok(next.pass);
  breaker.report({ permit: next.permit, outcome: "success", nowMs: 111 });
  assert.equal(breaker.state(111), "closed");
});

test("a trial whose answer has begun closes the breaker, and its outcome counts like every other one", () => {
  const breaker = new Breaker(options);
  run(breaker, "ffff", 0);
  const trial = breaker.ask(100);
  assert.ok(trial.pass);
  assert.equal(breaker.ask(100).pass, false);
  breaker.begun(trial.permit, 100);
  assert.equal(breaker.state(100), "closed");
  assert.equal(run(breaker, "fff", 101), "fff");
  breaker.report({ permit: trial.permit, outcome: "failure", nowMs: 102 });
  assert.equal(breaker.state(102), "open");
});

test("an answer that begins closes only a breaker that waits for it", () => {
  const breaker = new Breaker(options);
  const early = breaker.ask(0);
  assert.ok(early.pass);
  run(breaker, "ffff", 0);
  breaker.begun(early.permit, 100);
  assert.equal(breaker.state(50), "open");
});

test("a server whose answers begin and then break is left alone for longer each time", () => {
  const breaker = new Breaker(options);
  run(breaker, "ffff", 0);
  const failed = breaker.ask(100);
  assert.ok(failed.pass);
  breaker.report({ permit: failed.permit, outcome: "failure", nowMs: 100 });
  const begun = breaker.ask(300);
  assert.ok(begun.pass);
  breaker.begun(begun.permit, 300);
  breaker.report({ permit: begun.permit, outcome: "failure", nowMs: 300 });
  run(breaker, "fff", 300);
  assert.deepEqual(breaker.ask(300), { pass: false, state: "open", retryInMs: 200 });
});

test("while an answer streams, an overload refuses no call, and the first answer that begins closes the breaker", () => {
  const breaker = new Breaker(options);
  const stream = breaker.ask(0);
  assert.ok(stream.pass);
  breaker.begun(stream.permit, 0);
  assert.equal(run(breaker, "ffff", 10), "ffff");
  assert.equal(breaker.state(10), "open");
  assert.equal(run(breaker, "fif", 20), "fif");
  const next = breaker.ask(30);
  assert.ok(next.pass);
  breaker.begun(next.permit, 30);
  assert.equal(breaker.state(30), "closed");
  assert.equal(run(breaker, "ffff", 40), "ffff");
  for (const { permit } of [stream, next]) breaker.report({ permit, outcome: "success", nowMs: 50 });
  assert.deepEqual([breaker.state(50), run(breaker, "s", 50)], ["open", "."]);
  assert.equal(run(breaker, "s", 140), "s");
});

test("an answer whose caller has gone does not keep a breaker from refusing for ever", () => {
  const breaker = new Breaker(options);
  const stream = breaker.ask(0);
  assert.ok(stream.pass);
  breaker.begun(stream.permit, 0);
  run(breaker, "ffff", 599_990);
  assert.equal(run(breaker, "f", 599_999), "f");
  assert.equal(run(breaker, "f", 600_000), ".");
});
