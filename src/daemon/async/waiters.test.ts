import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { Waiters } from "./waiters.ts";
import { within } from "../../timers/within.ts";

test("a wait ends with the next change, or with its signal, and leaves nothing on the signal", async () => {
  const waiters = new Waiters();
  const stop = new AbortController();
  const changed = waiters.next(stop.signal);
  waiters.wake();
  assert.equal(await changed, true);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);

  const stopped = waiters.next(stop.signal);
  stop.abort();
  assert.equal(await stopped, false);
  assert.equal(await waiters.next(stop.signal), false);
  waiters.wake();
});

test("who waits again while others are woken is not woken twice", async () => {
  const waiters = new Waiters();
  const { signal } = new AbortController();
  const woken: string[] = [];
  const waitTwice = async (): Promise<void> => {
    await waiters.next(signal);
    woken.push("first");
    await waiters.next(signal);
    woken.push("second");
  };
  const both = waitTwice();
  waiters.wake();
  await waiters.next(AbortSignal.abort());
  assert.deepEqual(woken, ["first"]);
  waiters.wake();
  await both;
});

test("within gives what a promise says in time, else undefined, and passes on that it failed", async () => {
  assert.equal(await within(60_000, Promise.resolve(1)), 1);
  assert.equal(await within(0, new Promise(() => {})), undefined);
  await assert.rejects(within(60_000, Promise.reject(new Error("no"))), /no/);
});
