import assert from "node:assert/strict";
import { test } from "node:test";
import { InputLease } from "./input-lease.ts";

test("one writer holds the lease, and the next one gets it afterwards", () => {
  const lease = new InputLease();
  const first = lease.acquire("prompt a", 0);
  assert.equal(lease.holder(0), "prompt a");
  assert.throws(() => lease.acquire("prompt b", 0), { code: "CONFLICT" });
  assert.throws(() => lease.assertFree(), { code: "CONFLICT" });
  first[Symbol.dispose]();
  lease.assertFree();
  assert.equal(lease.acquire("prompt b", 0).signal.aborted, false);
});

test("a keyboard takes the lease over and holds it for a while after its last key", () => {
  const lease = new InputLease();
  const { signal } = lease.acquire("prompt a", 0);
  lease.takeOver(100);
  assert.equal(signal.aborted, true);
  assert.equal(lease.holder(100), "keyboard");
  assert.throws(() => lease.acquire("prompt b", 2000), { code: "CONFLICT" });
  lease.assertFree();
  assert.deepEqual([lease.keyboardMs(2000), lease.holder(3200)], [1100, null]);
});
