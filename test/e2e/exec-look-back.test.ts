/** What `exec` knows of a program whose prompt is far back, because a job in the background has printed since. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

test("a command is typed at a shell that stayed at its prompt while a job printed more than the look-back", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "work", "--", "bash", "--norc", "--noprofile");
  const job = "(read -r < go; seq 200000; echo job is over) &";
  await home.client.call("sessions.exec", { session: "work", command: `mkfifo go; ${job}` });
  await home.client.call("sessions.exec", { session: "work", command: "true" });
  await home.shell("echo > go");
  const printed = await home.client.call("sessions.wait", {
    session: "work",
    for: { type: "output", pattern: "job is over" },
    timeoutMs: 60_000,
  });
  assert.equal(printed.reason, "output");
  const { ran, exitCode, output } = await home.client.call("sessions.exec", { session: "work", command: "echo typed" });
  // Bash adds that the job is done.
  assert.deepEqual([ran, exitCode, output.slice(0, 6)], [true, 0, "typed\n"]);
});
