/** The directories of sockets are removed while programs run, as at a logout: nothing is lost, and nobody else writes the journals. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { JournalReader } from "../../src/journal/reader.ts";
import { JournalWriter } from "../../src/journal/writer.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { CliHome, gone } from "./cli-home.ts";
import { until } from "../support/until.ts";
import { roundsOf, someOf } from "../support/variants.ts";

type Listed = OutputOf<"sessions.list">["sessions"][number];

/** It pauses without a process of its own for each pause: nothing is ever written into the pipe. */
const COUNTING =
  'exec 3<> <(:); i=0; until [ -e stop ]; do echo "line $i"; i=$((i+1)); read -rt 0.05 -u 3; done; echo "count $i"';
const NAMES = ["a", "b"];

const places: Readonly<Record<string, (directory: string) => Readonly<Record<string, string>>>> = {
  "a runtime directory": (directory) => {
    mkdirSync(join(directory, "xdg"), { mode: 0o700 });
    return { HOME: directory, XDG_RUNTIME_DIR: join(directory, "xdg") };
  },
  "no runtime directory": (directory) => ({ HOME: directory, XDG_DATA_HOME: join(directory, "data") }),
  "a home with a path too long for a socket": (directory) => ({ LECTERN_HOME: join(directory, "x".repeat(120)) }),
};

/** Sessions that count lines until the file "stop" is there. */
async function startCounting(home: CliHome): Promise<void> {
  for (const name of NAMES) {
    await home.ok("run", "-d", "--name", name, "--", "bash", "-c", COUNTING);
    const counts = { type: "output", pattern: "line 10" } as const;
    await home.client.call("sessions.wait", { session: name, for: counts, from: 0, timeoutMs: 60_000 });
  }
}

function wipe({ paths, environment }: CliHome): void {
  // Daemon and hosts may bind a socket there again in the same moment.
  const how = { recursive: true, force: true, maxRetries: 20, retryDelay: 10 } as const;
  rmSync(paths.runtimeDirectory, how);
  const runtime = environment["XDG_RUNTIME_DIR"];
  if (runtime === undefined) return;
  rmSync(runtime, how);
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
}

async function listed(home: CliHome): Promise<readonly Listed[]> {
  return (JSON.parse(await home.ok("ls", "-a", "--json")) as { sessions: Listed[] }).sessions;
}

async function expectAllRunning(home: CliHome): Promise<void> {
  // The command finds the daemon, or starts the next one.
  await listed(home);
  const reachable = async (): Promise<boolean> => {
    const { sessions } = await home.client.call("sessions.list", {});
    assert.deepEqual(
      sessions.map(({ name, state, exit }) => [name, state, exit]),
      NAMES.toReversed().map((name) => [name, "running", null]),
    );
    return sessions.every(({ unreachable }) => unreachable === null);
  };
  await until(reachable, "the sessions are reached");
  // They are reached if they can be typed into.
  for (const name of NAMES) await home.client.call("sessions.input", { session: name, text: "\n" });
}

/** Ends the programs and checks each journal: all lines in order, one exit, nothing else. */
async function expectNothingLost(home: CliHome): Promise<void> {
  const sessions = await listed(home);
  writeFileSync(join(home.directory, "stop"), "");
  for (const { id, name } of sessions) {
    await home.client.call("sessions.wait", { session: name, for: { type: "exit" }, timeoutMs: 60_000 });
    const directory = join(home.paths.sessionsDirectory, id);
    await using reader = await JournalReader.open(directory);
    const types: string[] = [];
    let text = "";
    for (let next = reader.start; next < reader.end;) {
      const page = await reader.read(next);
      for (const { type, payload } of page.records) {
        types.push(type);
        if (type === "output") text += Buffer.from(payload).toString();
      }
      next = page.next;
    }
    const lines = [...text.matchAll(/^line (\d+)\r$/gm)].map(([, number]) => Number(number));
    assert.deepEqual(
      lines,
      lines.map((_, index) => index),
    );
    assert.match(text, new RegExp(`^count ${lines.length}\r$`, "m"));
    assert.equal(types.filter((type) => type === "exit").length, 1);
    assert.equal(types.at(-1), "exit");
    assert.equal(types.includes("gap"), false);
    assert.deepEqual(
      readdirSync(directory).filter((file) => file.endsWith(".torn")),
      [],
    );
  }
  const ended = (await home.client.call("sessions.list", {})).sessions;
  assert.ok(ended.every(({ state, exit }) => state === "exited" && exit?.code === 0));
}

for (const [place, variables] of someOf(places, "a runtime directory")) {
  // What comes back once comes back a second time, wherever it is.
  const rounds = place === "a runtime directory" ? 2 : 1;
  test(`sockets that are removed come back while the daemon runs: ${place}`, async () => {
    await using home = new CliHome(variables);
    await startCounting(home);
    const follower = home.spawn(["logs", "-f", "a"]);
    // A command that has only begun to connect ends where the socket goes between two of its requests.
    await until(async () => (await home.client.call("sessions.get", { session: "a" })).viewers > 0, "it follows");
    for (let round = 0; round < rounds; round++) {
      wipe(home);
      await expectAllRunning(home);
    }
    assert.equal(statSync(home.paths.runtimeDirectory).mode & 0o777, 0o700);
    await expectNothingLost(home);
    const { code, stderr, stdout } = await follower;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^line 0\n/);
    assert.match(stdout, /^count \d+$/m);
  });

  test(`a daemon that is killed when its sockets are removed has a successor that finds the hosts: ${place}`, async () => {
    await using home = new CliHome(variables);
    await startCounting(home);
    for (let round = 0; round < roundsOf(1, rounds); round++) {
      const info = await home.info();
      assert.ok(info);
      wipe(home);
      process.kill(info.pid, "SIGKILL");
      await gone(info.pid);
      wipe(home);
      await expectAllRunning(home);
    }
    await expectNothingLost(home);
  });
}

test("a host that is stopped without a socket is waited for: its sessions are unreachable, and nobody writes their journals", async () => {
  await using home = new CliHome();
  await startCounting(home);
  const info = await home.info();
  const [host] = info?.hosts ?? [];
  assert.ok(info && host);
  process.kill(host.pid, "SIGSTOP");
  try {
    wipe(home);
    process.kill(info.pid, "SIGKILL");
    await gone(info.pid);
    const reason = `its pty host (process ${host.pid}) is alive but has no socket at "${join(home.paths.runtimeDirectory, host.name)}"`;
    for (let round = 0; round < roundsOf(1, 2); round++) {
      for (const session of await listed(home)) {
        assert.deepEqual([session.state, session.exit, session.unreachable], ["running", null, reason]);
        const directory = join(home.paths.sessionsDirectory, session.id);
        await assert.rejects(JournalWriter.open(directory), { code: "CONFLICT" });
      }
      assert.match(await home.ok("ls"), /^a +unreachable /m);
      assert.match(await home.fails("send", "a", "x"), /^6 lectern: Session "a" is running but its pty host \(process/);
      assert.match(await home.fails("rm", "--force", "a"), /^6 /);
      assert.match(
        (await home.run(["doctor"])).stdout,
        /^fail +session +a: its pty host .*its output is recorded\n.*kill -CONT/m,
      );
      await home.crashDaemon();
    }
  } finally {
    process.kill(host.pid, "SIGCONT");
  }
  await expectAllRunning(home);
  await expectNothingLost(home);
});

test("a host that is killed without a socket has lost its sessions, and their journals say so once", async () => {
  await using home = new CliHome();
  await startCounting(home);
  const info = await home.info();
  const [host] = info?.hosts ?? [];
  assert.ok(info && host);
  const pids = (await listed(home)).map(({ pid }) => pid);
  process.kill(host.pid, "SIGSTOP");
  wipe(home);
  process.kill(info.pid, "SIGKILL");
  await gone(info.pid);
  assert.ok((await listed(home)).every(({ unreachable }) => unreachable !== null));
  process.kill(host.pid, "SIGKILL");
  const sessions = async (): Promise<readonly Listed[]> => (await home.client.call("sessions.list", {})).sessions;
  await until(async () => (await sessions()).every(({ state }) => state === "lost"), "they are lost");
  for (const { id } of await sessions()) {
    await using reader = await JournalReader.open(join(home.paths.sessionsDirectory, id));
    const { records } = await reader.read(Math.max(0, reader.end - 400));
    assert.equal(records.filter(({ type }) => type === "exit").length, 1);
    assert.equal(records.at(-1)?.type, "exit");
  }
  writeFileSync(join(home.directory, "stop"), "");
  for (const pid of pids) if (pid !== null) await gone(pid);
});

test("a daemon that is stopped without a socket is named by an error, not waited for a minute", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  const info = await home.info();
  assert.ok(info);
  process.kill(info.pid, "SIGSTOP");
  try {
    wipe(home);
    const reason = new RegExp(
      `^6 lectern: Cannot reach the daemon: process ${info.pid} holds .* is missing; end it with "kill ${info.pid}"`,
    );
    assert.match(await home.fails("ls"), reason);
    assert.match(await home.fails("down"), reason);
    assert.match(
      (await home.run(["doctor"])).stdout,
      new RegExp(`^fail +daemon +Cannot reach the daemon: process ${info.pid}`, "m"),
    );
  } finally {
    process.kill(info.pid, "SIGCONT");
  }
  assert.match(await home.ok("ls"), /^a +running/m);
  assert.equal((await home.info())?.pid, info.pid);
});

test("two homes with long paths have sockets of their own below a directory that only the user can enter", async () => {
  await using first = new CliHome(places["a home with a path too long for a socket"]);
  await using second = new CliHome(places["a home with a path too long for a socket"]);
  assert.notEqual(first.paths.daemonSocket, second.paths.daemonSocket);
  await first.ok("run", "-d", "--name", "one", "--", "cat");
  await second.ok("run", "-d", "--name", "two", "--", "cat");
  assert.equal((await first.ok("ls", "-q")).trim(), "one");
  assert.equal((await second.ok("ls", "-q")).trim(), "two");
  assert.equal(existsSync(first.paths.daemonSocket), true);
});
