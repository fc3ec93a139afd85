import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

const limit = (pid: number, descriptorsMax: number): void => {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${descriptorsMax}:`]);
};

/** Leaves one that is free: the limit is that of their numbers, the lowest of which is given next. */
function limitToOneMore(pid: number): void {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`));
  let lowestFree = 0;
  while (taken.has(String(lowestFree))) lowestFree += 1;
  limit(pid, lowestFree + 1);
}

test("a daemon and a host without free descriptors go on when there are some again, and no session is listed as damaged", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--name", "old", "--", "echo", "kept");
  await home.ok("wait", "old");
  await home.ok("run", "-d", "--name", "live", "--", "cat");
  const info = await home.info();
  assert.ok(info);
  const pids = [info.pid, ...info.hosts.map(({ pid }) => pid)];
  // The daemon cannot find out who calls, so it refuses what acts, and answers what only reads. It may close another one meanwhile, such as that of
  // a command before: then it is limited anew.
  for (const words of [
    ["run", "-d", "--", "true"],
    ["send", "live", "few"],
  ]) {
    await until(
      async () => {
        for (const pid of pids) limitToOneMore(pid);
        return (await home.run(words)).code !== 0;
      },
      `"${words.join(" ")}" is refused`,
    );
  }
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
