import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { CliHome } from "./cli-home.ts";

const limit = (pid: number, descriptorsMax: number): void => {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${descriptorsMax}:`]);
};

test("a daemon and a host without free descriptors go on when there are some again, and no session is listed as damaged", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--name", "old", "--", "echo", "kept");
  await home.ok("wait", "old");
  await home.ok("run", "-d", "--name", "live", "--", "cat");
  const info = await home.info();
  assert.ok(info);
  const pids = [info.pid, ...info.hosts.map(({ pid }) => pid)];
  for (const pid of pids) limit(pid, readdirSync(`/proc/${pid}/fd`).length + 1);
  // The daemon cannot find out who calls, so it refuses what acts, and answers what only reads.
  assert.notEqual((await home.run(["run", "-d", "--", "true"])).code, 0);
  assert.notEqual((await home.run(["send", "live", "few"])).code, 0);
  assert.match(await home.ok("ls"), /live +running/);
  for (const pid of pids) limit(pid, 1024);
  assert.equal((await home.info())?.pid, info.pid);
  await home.ok("send", "live", "many");
  await home.ok("wait", "live", "--for", "output:many");
  assert.equal(await home.ok("logs", "old"), "kept\n");
  await home.ok("run", "-d", "--", "true");
  const { sessions } = await home.client.call("sessions.list", {});
  assert.ok(sessions.every(({ damaged }) => damaged === null));
});
