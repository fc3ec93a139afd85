/** What ends, and when: hosts without sessions, programs that ignore the hang-up, commands whose host is stopped. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { isRunning } from "../../src/pty/proc-files.ts";
import { until } from "../support/until.ts";
import { CliHome, SharedHome } from "./cli-home.ts";
import { platform } from "../../src/pty/platform.ts";

const shared = new SharedHome();

const linuxOnly = { skip: !platform.hasProc && "needs /proc" };

async function hostOf(home: CliHome): Promise<number> {
  const { hosts } = await home.client.call("daemon.info", {});
  assert.equal(hosts.length, 1);
  return hosts[0]!.pid;
}

test("after down a host ends with its last session, and with no session at once", async () => {
  await using home = new CliHome();
  await home.run(["run", "--detach", "--name", "last", "--", "sh", "-c", "read line"]);
  const host = await hostOf(home);
  const { sessions } = await home.client.call("sessions.list", {});
  const [last] = sessions;
  assert.equal((await home.run(["down"])).code, 0);
  assert.ok(isRunning(host), "a host with a session stays");
  assert.ok(last?.pid);
  process.kill(last.pid, "SIGKILL");
  await until(async () => !isRunning(host), "the host ends");

  const listed = await home.run(["ls", "--all", "--json"]);
  assert.match(listed.stdout, /"signal":"SIGKILL"/);
  await home.run(["run", "--", "true"]);
  const next = await hostOf(home);
  await home.run(["down"]);
  await until(async () => !isRunning(next), "the host without sessions ends");
});

test("programs that ignore the hang-up are named by doctor and ended by kill", linuxOnly, async () => {
  const home = await shared.empty();
  const stubborn = `trap '' HUP TERM; for i in 1 2; do setsid sh -c 'trap "" TERM; while :; do sleep 1; done' & done; sleep 0.2; exit 0`;
  await home.run(["run", "--name", "stubborn", "--", "bash", "-c", stubborn]);
  const named = await home.run(["doctor"]);
  const line = /stubborn: it has ended, and programs of it still run: (.*)\n.*lectern kill stubborn/.exec(
    named.stdout,
  )?.[1];
  assert.ok(line, named.stdout);
  const pids = [...line.matchAll(/(\d+) \(/g)].map(([, pid]) => Number(pid));
  assert.ok(pids.length >= 2, line);
  const killed = await home.run(["kill", "--grace", "100ms", "stubborn"]);
  assert.deepEqual([killed.code, killed.stderr], [0, ""]);
  assert.deepEqual(pids.filter(isRunning), []);
  assert.doesNotMatch((await home.run(["doctor"])).stdout, /stubborn/);
  const again = await home.run(["kill", "stubborn"]);
  assert.notEqual(again.code, 0);
  assert.match(again.stderr, /has ended/);
});

test("what outlives a killed host is named and ended, too", linuxOnly, async () => {
  const home = await shared.empty();
  await home.run([
    "run",
    "--detach",
    "--name",
    "orphan",
    "--",
    "sh",
    "-c",
    "trap '' HUP; echo up; while :; do sleep 1; done",
  ]);
  await home.ok("wait", "orphan", "--for", "output:up", "--from", "0");
  const pid = (await home.client.call("sessions.get", { session: "orphan" })).pid!;
  const host = await hostOf(home);
  process.kill(host, "SIGKILL");
  await until(
    async () => (await home.client.call("sessions.get", { session: "orphan" })).exit !== null,
    "the session is over",
  );
  assert.match((await home.run(["doctor"])).stdout, new RegExp(`orphan: .*\\b${pid} \\(`));
  assert.equal((await home.run(["kill", "orphan", "--grace", "100ms"])).code, 0);
  assert.ok(!isRunning(pid));
});

test("send and kill to a stopped host are answered with what is wrong, and take effect when it continues", async () => {
  await using home = new CliHome((directory) => ({
    LECTERN_HOME: join(directory, "home"),
    LECTERN_TIMES: "hostAnswerMs=2500",
  }));
  await home.run(["run", "--detach", "--name", "quiet", "--", "cat"]);
  const host = await hostOf(home);
  for (const words of [
    ["send", "quiet", "typed later"],
    ["kill", "quiet"],
  ]) {
    process.kill(host, "SIGSTOP");
    try {
      const answered = await home.run(words);
      assert.notEqual(answered.code, 0, words.join(" "));
      assert.match(
        answered.stderr,
        new RegExp(`process ${host} does not answer .*kill -CONT ${host}`),
        words.join(" "),
      );
    } finally {
      process.kill(host, "SIGCONT");
    }
    if (words[0] === "send") await home.ok("wait", "quiet", "--for", "output:typed later", "--from", "0");
  }
  await until(
    async () => (await home.client.call("sessions.get", { session: "quiet" })).exit !== null,
    "the session ends",
  );
  assert.match((await home.run(["logs", "quiet"])).stdout, /typed later/);
});

test("an exit has who wanted it: an operation, the keyboard, or nobody", linuxOnly, async () => {
  const home = await shared.empty();
  const exitOf = async (name: string): Promise<unknown> => {
    await home.ok("wait", name, "--for", "exit");
    return (await home.client.call("sessions.get", { session: name })).exit;
  };
  for (const name of ["killed", "signalled", "cat"]) await home.ok("run", "-d", "--name", name, "--", "cat");
  await home.ok("run", "-d", "--name", "typed", "--", "bash", "--norc");
  await home.ok("run", "-d", "--name", "itself", "--", "bash", "-c", "exit 3");
  await home.ok("kill", "killed");
  await home.client.call("sessions.signal", { session: "signalled", signal: "SIGTERM" });
  await home.ok("wait", "cat", "--for", "ready");
  await home.client.call("sessions.keys", { session: "cat", keys: ["C-c"] });
  await home.ok("wait", "typed", "--for", "ready");
  await home.ok("send", "typed", "exit 7", "--enter");
  const signaled = (signal: string, endedBy: string) => ({ reason: "signaled", code: null, signal, endedBy });
  assert.deepEqual(await exitOf("killed"), signaled("SIGHUP", "request"));
  assert.deepEqual(await exitOf("signalled"), signaled("SIGTERM", "request"));
  assert.deepEqual(await exitOf("cat"), signaled("SIGINT", "keyboard"));
  assert.deepEqual(await exitOf("typed"), { reason: "exited", code: 7, signal: null, endedBy: "keyboard" });
  assert.deepEqual(await exitOf("itself"), { reason: "exited", code: 3, signal: null });
  assert.match(await home.ok("info", "typed"), /exited with code 7 by hand/);
});
