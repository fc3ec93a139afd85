/** Clumsy uses of the command line, once more. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SharedHome } from "../cli-home.ts";

const shared = new SharedHome();

/** Runs until a file is there; what it prints at its end does not stand in the line that is typed. */
const untilGo = "until [ -e go ]; do sleep 0.05; done; echo went'-'on";

test("a wait and what follows go on with the next daemon; a command that was being run says that it goes on", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "--norc", "--noprofile");
  await home.ok("wait", "a", "--for", "ready");
  const running = home.spawn(["exec", "a", "--", untilGo]);
  await home.ok("wait", "a", "--for", "output:until", "--from", "0");
  const waiting = home.spawn(["wait", "a", "--for", "output:went-on"]);
  const following = home.spawn(["events", "-f", "a"]);
  await home.crashDaemon();
  const { code, stderr } = await running;
  assert.deepEqual([code, /Lost the daemon: .*"lectern wait a --for ready"/.test(stderr)], [6, true]);
  writeFileSync(join(home.directory, "go"), "");
  assert.deepEqual(await waiting, { code: 0, stdout: "went-on\n", stderr: "" });
  await home.ok("kill", "a");
  assert.deepEqual(await following, { code: 0, stdout: "", stderr: "" });
});
