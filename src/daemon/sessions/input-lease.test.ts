import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { InputLease } from "./input-lease.ts";

test("one writer holds the lease, and the next one gets it afterwards", () => {
  const lease = new InputLease();
  const first = lease.acquire("prompt a", 0);
  assert.equal(lease.holder(0), "prompt a");
  assert.throws(() => lease.acquire("prompt b", 0), { code: "CONFLICT" });
  assert.throws(() => lease.assertFree(0), { code: "CONFLICT" });
  first[Symbol.dispose]();
  lease.assertFree(0);
  assert.equal(lease.acquire("prompt b", 0).signal.aborted, false);
});

test("a keyboard takes the lease over and holds it for a while after its last key", () => {
  const lease = new InputLease();
  const { signal } = lease.acquire("prompt a", 0);
  lease.takeOver(100);
  assert.equal(signal.aborted, true);
  assert.equal(lease.holder(100), "keyboard");
  assert.throws(() => lease.acquire("prompt b", 2000), { code: "CONFLICT" });
  assert.deepEqual([lease.keyboardMs(2000), lease.holder(3200)], [1100, null]);
});

test("while a keyboard holds the lease, others are refused, and it is not", () => {
  const lease = new InputLease();
  const [anna, ben] = [{ name: "anna" }, { name: "ben" }];
  lease.takeOver(0, anna);
  lease.assertFree(10, anna);
  assert.throws(() => lease.assertFree(10, ben), /anna is typing/);
  assert.throws(() => lease.assertFree(10), { code: "CONFLICT" });
  lease.assertFree(3000, ben);
});

test("a lease that is cleared is nobody's, and a prompt that had it hears of that", () => {
  const lease = new InputLease();
  const { signal } = lease.acquire("prompt a", 0);
  lease.clear(0);
  assert.ok(signal.aborted);
  lease.takeOver(0, { name: "anna" });
  lease.clear(10);
  assert.equal(lease.holder(10), null);
  lease.assertFree(10);
});

test("whoever listens hears of each other writer, and of none", () => {
  const lease = new InputLease();
  const heard: (string | undefined)[] = [];
  const listening = lease.subscribe((writer) => heard.push(writer?.name));
  const prompt = lease.acquire("prompt a", 0);
  prompt[Symbol.dispose]();
  const first = { name: "a page" };
  lease.takeOver(0, first);
  lease.takeOver(10, first);
  lease.takeOver(20, { name: "a page" });
  listening[Symbol.dispose]();
  lease.takeOver(30, first);
  assert.deepEqual(heard, ["prompt a", undefined, "a page", "a page"]);
});

test("a keyboard that is gone holds nothing, and takes nothing from another", () => {
  const lease = new InputLease();
  const [first, second] = [{ name: "first" }, { name: "second" }];
  lease.takeOver(0, first);
  lease.leave(second);
  assert.equal(lease.holder(1), "first");
  lease.leave(first);
  assert.equal(lease.holder(1), null);
});

test("whoever listens hears that a keyboard has not typed for a while", async () => {
  const lease = new InputLease();
  const lapsed = Promise.withResolvers<void>();
  using _ = lease.subscribe((writer) => {
    if (writer === undefined) lapsed.resolve();
  });
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  lease.takeOver(Date.now());
  mock.timers.tick(2000);
  lease.takeOver(Date.now());
  mock.timers.tick(2000);
  assert.equal(lease.holder(Date.now()), "keyboard");
  mock.timers.tick(1000);
  await lapsed.promise;
  mock.timers.reset();
});

test("a program that types is waited for, a person is not", async () => {
  const lease = new InputLease();
  const held = lease.acquire("prompt", 0);
  const waiting = lease.untilTyped(new AbortController().signal);
  held[Symbol.dispose]();
  await waiting;
  lease.takeOver(0);
  await lease.untilTyped(new AbortController().signal);
  lease.clear(0);
  using _ = lease.acquire("another", 0);
  await lease.untilTyped(AbortSignal.abort());
});
