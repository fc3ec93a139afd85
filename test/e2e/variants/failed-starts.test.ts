/** Starts that fail, once more. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { queryObjects } from "node:v8";
import { WireSession } from "../../../src/daemon/gateway/wire-session.ts";
import { TemporaryDaemon } from "../../support/temporary-daemon.ts";

/** Live sessions of the gateway in this process, after a garbage collection, which takes half a second: once before and once after a test. */
const wireSessions = (): number => queryObjects(WireSession, { format: "count" });

test("20 failed starts with the gateway leave no session of the gateway", async () => {
  await using daemon = await TemporaryDaemon.start();
  const before = wireSessions();
  for (let count = 0; count < 20; count++) {
    const start = daemon.call("sessions.create", { command: ["/nonexistent/program"], wire: {} });
    await assert.rejects(start, { code: "COMMAND_NOT_FOUND" });
  }
  assert.equal(wireSessions(), before);
  assert.deepEqual(readdirSync(daemon.paths.sessionsDirectory), []);
});
