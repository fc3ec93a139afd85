import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CallLimits, TokenBucket, type Admission } from "./limits.ts";
import { checkPolicyText } from "./policy-text.ts";

function limitsOf(text: string, options?: { readonly countersMax: number }): CallLimits {
  const checked = checkPolicyText(`version: 1\nlimits:\n${text}`);
  assert.ok(checked.ok, JSON.stringify(checked));
  return new CallLimits(checked.policy.limits, options);
}

const call = (key: string, tool = "bash", session = "s1"): { key: string; tool: string; session: string } => ({
  key,
  tool,
  session,
});
const refusalOf = (admission: Admission): unknown =>
  admission.admitted ? null : [admission.limit.id, admission.reason, admission.retryInMs];

test("a bucket gives its burst at once and then one token at a time", () => {
  const bucket = new TokenBucket({ calls: 2, perMs: 1_000, burst: 3 });
  assert.deepEqual(
    [0, 0, 0].map((now) => bucket.take(now).taken),
    [true, true, true],
  );
  assert.deepEqual(bucket.take(0), { taken: false, retryInMs: 500 });
  assert.deepEqual(bucket.take(499), { taken: false, retryInMs: 1 });
  assert.deepEqual(bucket.take(500), { taken: true });
  assert.deepEqual(bucket.take(10_000), { taken: true });
  assert.equal(bucket.isFull(10_000), false);
  assert.equal(bucket.isFull(10_500), true);
});

test("a clock that goes back gives no tokens", () => {
  const bucket = new TokenBucket({ calls: 1, perMs: 1_000, burst: 1 });
  bucket.take(5_000);
  assert.equal(bucket.take(0).taken, false);
  assert.equal(bucket.take(5_999).taken, false);
  assert.equal(bucket.take(6_000).taken, true);
});

test("a bucket never gives more than its burst and its rate allow", () => {
  const settings = fc.record({
    calls: fc.integer({ min: 1, max: 20 }),
    perMs: fc.integer({ min: 1, max: 5_000 }),
    burst: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(settings, fc.array(fc.nat(500), { maxLength: 200 }), (rate, steps) => {
      const bucket = new TokenBucket(rate);
      let nowMs = 0;
      let taken = 0;
      for (const step of steps) {
        nowMs += step;
        const before = bucket.check(nowMs);
        const answer = bucket.take(nowMs);
        assert.deepEqual(answer, before);
        if (answer.taken) taken += 1;
        assert.ok(taken <= rate.burst + (nowMs * rate.calls) / rate.perMs + 1e-6);
      }
    }),
  );
});

test("waiting as long as was said is enough", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 1_000 }), (calls, perMs) => {
      const bucket = new TokenBucket({ calls, perMs, burst: 1 });
      bucket.take(0);
      const refused = bucket.take(0);
      assert.ok(!refused.taken);
      assert.equal(bucket.take(refused.retryInMs).taken, true);
    }),
  );
});

test("a rate is counted for each session and names its limit", () => {
  const limits = limitsOf("  - { id: slow, tool: b*, calls: 1, perSeconds: 10 }");
  assert.equal(limits.admit(call("1"), 0).admitted, true);
  assert.deepEqual(refusalOf(limits.admit(call("2"), 0)), ["slow", "rate", 10_000]);
  assert.equal(limits.admit(call("3", "bash", "s2"), 0).admitted, true);
  assert.equal(limits.admit(call("4", "edit"), 0).admitted, true);
  assert.equal(limits.admit(call("5"), 10_000).admitted, true);
});

test("concurrency is freed by the end of a call", () => {
  const limits = limitsOf("  - { id: two, concurrent: 2, scope: all }");
  assert.equal(limits.admit(call("1"), 0).admitted, true);
  assert.equal(limits.admit(call("2", "x", "s2"), 0).admitted, true);
  assert.deepEqual(refusalOf(limits.admit(call("3"), 0)), ["two", "concurrency", null]);
  limits.end("1");
  limits.end("1");
  limits.end("unknown");
  assert.equal(limits.admit(call("3"), 0).admitted, true);
  assert.equal(limits.running, 2);
});

test("a call that one limit refuses takes from no other", () => {
  const limits = limitsOf("  - { id: rate, calls: 1, perSeconds: 60 }\n  - { id: one, tool: bash, concurrent: 1 }");
  assert.equal(limits.admit(call("1"), 0).admitted, true);
  assert.deepEqual(refusalOf(limits.admit(call("2"), 60_000)), ["one", "concurrency", null]);
  limits.end("1");
  assert.equal(limits.admit(call("2"), 60_000).admitted, true);
});

test("a call that is admitted twice is counted once", () => {
  const limits = limitsOf("  - { id: slow, calls: 2, perSeconds: 60 }");
  limits.admit(call("1"), 0);
  limits.admit(call("1"), 0);
  assert.equal(limits.admit(call("2"), 0).admitted, true);
  assert.equal(limits.admit(call("3"), 0).admitted, false);
});

test("sessions beyond the limit of memory are refused until one is idle", () => {
  const limits = limitsOf("  - { id: slow, calls: 1, perSeconds: 10 }", { countersMax: 2 });
  limits.admit(call("1", "a", "s1"), 0);
  limits.admit(call("2", "a", "s2"), 0);
  limits.end("1");
  assert.deepEqual(refusalOf(limits.admit(call("3", "a", "s3"), 0)), ["slow", "sessions", null]);
  assert.equal(limits.admit(call("3", "a", "s3"), 10_000).admitted, true);
});
