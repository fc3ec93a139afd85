import assert from "node:assert/strict";
import { test } from "node:test";
import { Fence, Lease } from "./lease.ts";

const options = { ttlMs: 10_000, renewMs: 3000, marginMs: 1000 };

function held(): Lease {
  const lease = new Lease(options);
  assert.deepEqual(lease.step({ type: "start" }, 0), [{ type: "create", request: 1 }]);
  assert.deepEqual(lease.step({ type: "written", request: 1, revision: 5 }, 50), [{ type: "acquired", revision: 5 }]);
  return lease;
}

test("a lease counts from the moment at which the write was sent, less the margin", () => {
  const lease = held();
  assert.equal(lease.revision(8999), 5);
  assert.equal(lease.revision(9000), undefined);
  assert.equal(lease.wakeAtMs, 3000);
});

test("a lease is renewed with its revision", () => {
  const lease = held();
  assert.deepEqual(lease.step({ type: "tick" }, 3000), [{ type: "update", request: 2, revision: 5 }]);
  assert.deepEqual(lease.step({ type: "written", request: 2, revision: 6 }, 3100), [{ type: "renewed", revision: 6 }]);
  assert.equal(lease.revision(11_999), 6);
});

test("a lease that has run out is lost, and taken anew with create, never renewed", () => {
  const lease = held();
  lease.step({ type: "tick" }, 3000);
  lease.step({ type: "tick" }, 6000);
  assert.deepEqual(lease.step({ type: "tick" }, 9000), [{ type: "lost", reason: "it was not renewed in time" }]);
  // The late answer to the update does not bring it back.
  assert.deepEqual(lease.step({ type: "written", request: 3, revision: 9 }, 9001), []);
  assert.equal(lease.revision(9001), undefined);
  assert.deepEqual(lease.step({ type: "tick" }, 12_000), [{ type: "create", request: 4 }]);
  assert.deepEqual(lease.step({ type: "refused", request: 4 }, 12_001), [{ type: "taken" }]);
});

test("a renewal that is refused ends the lease at once", () => {
  const lease = held();
  lease.step({ type: "tick" }, 3000);
  assert.deepEqual(lease.step({ type: "refused", request: 2 }, 3100), [
    { type: "lost", reason: "another revision of the key was written" },
  ]);
});

test("a release removes the key, and only its own revision of it", () => {
  const lease = held();
  assert.deepEqual(lease.step({ type: "release" }, 100), [{ type: "remove", revision: 5 }]);
  assert.equal(lease.wakeAtMs, undefined);
  assert.deepEqual(lease.step({ type: "tick" }, 20_000), []);
});

test("an attempt that fails is repeated", () => {
  const lease = new Lease(options);
  lease.step({ type: "start" }, 0);
  assert.deepEqual(lease.step({ type: "failed", request: 1 }, 2000), []);
  assert.deepEqual(lease.step({ type: "tick" }, 3000), [{ type: "create", request: 2 }]);
});

test("a fence refuses an earlier revision, and the same one of another holder", () => {
  const fence = new Fence();
  assert.ok(fence.accepts("a", 3));
  assert.ok(fence.accepts("a", 3));
  assert.ok(!fence.accepts("b", 3));
  assert.ok(fence.accepts("b", 4));
  assert.ok(!fence.accepts("a", 3));
});
