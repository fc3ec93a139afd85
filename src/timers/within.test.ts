import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import { within } from "./within.ts";

test("within gives what comes in time, and nothing for what does not", async () => {
  assert.equal(await within(60_000, Promise.resolve(1)), 1);
  assert.equal(await within(1, Promise.withResolvers<number>().promise), undefined);
  await assert.rejects(within(60_000, Promise.reject(new Error("no"))), { message: "no" });
});

test("within hears what came while the process stood still", async (context) => {
  const { port1, port2 } = new MessageChannel();
  context.after(() => port1.close());
  const message = once(port1, "message");
  port1.start();
  // From here on timers come before what is read.
  await setImmediate();
  const heard = within(20, message);
  port2.postMessage("in time");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  assert.ok(await heard);
});
