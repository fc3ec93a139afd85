import assert from "node:assert/strict";
import { test } from "node:test";
import { Bell } from "./attach-connection.ts";

test("a ring wakes the waiter, and one that came before is not missed", async () => {
  const bell = new Bell();
  const waiting = bell.wait();
  bell.ring();
  assert.equal(await waiting, true);
  bell.ring();
  bell.ring();
  assert.equal(await bell.wait(), true);
});

test("a wait without a ring ends at its time limit, and the next one waits again", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const bell = new Bell();
  const waiting = bell.wait(1000);
  context.mock.timers.tick(1000);
  assert.equal(await waiting, false);
  const next = bell.wait(1000);
  bell.ring();
  context.mock.timers.tick(2000);
  assert.equal(await next, true);
});
