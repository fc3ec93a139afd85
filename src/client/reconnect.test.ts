import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../core/errors.ts";
import { delay, isPassing, reconnectDelayMs } from "./reconnect.ts";

test("the delay doubles up to its limit and the random part takes off at most half", () => {
  const delays = [0, 1, 2, 20, 2000].map((attempt) => reconnectDelayMs(attempt, 30_000, 0));
  assert.deepEqual(delays, [50, 100, 200, 30_000, 30_000]);
  assert.equal(reconnectDelayMs(0, 30_000, 1), 25);
});

test("a daemon that is away is worth another try, a session that is not there is not", () => {
  assert.ok(isPassing(new LecternError("DAEMON_UNREACHABLE", "away")));
  assert.ok(!isPassing(new LecternError("SESSION_NOT_FOUND", "none")));
  assert.ok(!isPassing(new LecternError("UNAUTHENTICATED", "no")));
});

test("a delay ends at once when it is aborted", async () => {
  const abort = new AbortController();
  const waiting = delay(3_600_000, abort.signal);
  abort.abort();
  await waiting;
  await delay(3_600_000, abort.signal);
});
