import assert from "node:assert/strict";
import { test } from "node:test";
import { CliHome } from "./cli-home.ts";

const SESSIONS_MAX = 100;

test("sessions stop before the last descriptors, so that whoever ends them still can", async () => {
  await using home = new CliHome();
  const refusals: string[] = [];
  for (let count = 0; refusals.length === 0 && count < SESSIONS_MAX; count += 1) {
    const { code, stderr } = await home.shell('ulimit -n 96; "$L" run -d -- cat');
    if (code !== 0) refusals.push(stderr);
  }
  assert.match(
    refusals[0] ?? "",
    /Cannot start a session: process \d+ can open only \d+ more files; end sessions, or raise "ulimit -n"/,
  );
  const sessions = (await home.client.call("sessions.list", {})).sessions.filter(({ state }) => state === "running");
  assert.ok(sessions.length > 3, `${sessions.length} sessions`);
  await home.ok("send", sessions[0]!.name, "typed");
  await home.ok("kill", sessions[0]!.name);
  await home.ok("run", "-d", "--", "true");
  await home.ok("down", "--programs");
});
