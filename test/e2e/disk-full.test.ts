import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cannotMount } from "../support/needs.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

/** A small file system of its own. */
function mountTiny(directory: string, sizeKib: number): Disposable & { resize(sizeKib: number): void } {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKib}k,mode=0700`, "tmpfs", directory]);
  return {
    resize: (size) => execFileSync("mount", ["-o", `remount,size=${size}k`, directory]),
    [Symbol.dispose]: () => execFileSync("umount", ["--lazy", directory]),
  };
}

test("when the disk is full the program waits, the session says so, and nothing is lost when there is space again", async (context) => {
  if (cannotMount(context)) return;
  await using daemon = await TemporaryDaemon.start();
  using disk = mountTiny(daemon.paths.sessionsDirectory, 1024);
  const full = await daemon.run(["seq", "400000"], { name: "full" });
  await until(
    async () => (await daemon.call("sessions.get", { session: full.id })).degraded !== null,
    "the session is degraded",
  );
  await assert.rejects(daemon.call("sessions.input", { session: full.id, text: "x" }), {
    code: "JOURNAL_WRITE_FAILED",
    message: /free some space/,
  });
  disk.resize(64 * 1024);
  const ended = await daemon.exitOf(full.id);
  assert.deepEqual([ended.exit?.code, ended.degraded], [0, null]);
  const lines = (await daemon.outputOf(full.id)).toString().trimEnd().split("\r\n");
  assert.equal(lines.length, 400_000);
  assert.ok(lines.every((line, index) => line === String(index + 1)));
});

/** Takes what is left of a file system, to the last byte. */
function fill(path: string): void {
  for (let bytes = 1024 * 1024; bytes > 0; bytes = Math.floor(bytes / 2)) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: "a" });
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
    }
  }
}

/** Ends what runs on the small disk before that goes. */
function endsWithSpace(home: CliHome, disk: { resize(sizeKib: number): void }): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      disk.resize(64 * 1024);
      await home.run(["down", "--programs"]);
    },
  };
}

/** A host that tries to write again gives back the beginning of what did not fit, and takes it at once. */
const untilFull = async (path: string): Promise<void> => await until(() => freeBytes(path) === 0, "no space is left");

const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
};

test("with no space left for anything the daemon goes on and starts, lists, kills and removes, and is whole again with space", async (context) => {
  if (cannotMount(context)) return;
  await using home = new CliHome();
  const data = home.paths.dataDirectory;
  mkdirSync(data, { mode: 0o700 });
  using disk = mountTiny(data, 4096);
  await using _programs = endsWithSpace(home, disk);
  await home.ok("run", "-d", "--name", "old", "--", "seq", "20000");
  await home.ok("wait", "old");
  await home.ok("run", "-d", "--name", "flood", "--", "yes");
  await until(
    async () => (await home.client.call("sessions.get", { session: "flood" })).degraded !== null,
    "the flood has filled the disk",
  );
  fill(join(data, "filler"));
  const pid = (await home.info())?.pid;

  // The running daemon writes its log, registry and views in vain.
  await home.ok("label", "old", "kept=yes");
  assert.match(
    await home.fails("run", "-d", "--", "true"),
    /the disk is full; make room, for example with "lectern rm"/,
  );
  assert.match(await home.fails("token", "create"), /disk is full/);
  assert.match(await home.ok("ls", "-a"), /flood +running/);
  assert.match(await home.ok("info"), /Problem +Cannot write .*lectern\.db/);
  assert.equal((await home.info())?.pid, pid);

  // So does the next one, from the start.
  await home.ok("down");
  rmSync(join(data, "filler"));
  fill(join(data, "filler"));
  await untilFull(data);
  assert.match(await home.ok("ls", "-a"), /flood +running[^]*old +exited 0/);
  assert.equal(await home.ok("logs", "old", "--tail", "1"), "20000\n");
  assert.match(await home.fails("rm", "flood"), /it is running; end it with "lectern kill flood"/);
  const killed = await home.run(["kill", "flood"]);
  assert.deepEqual([killed.code, killed.stdout], [0, "flood\n"]);
  assert.match(killed.stderr, /have ended; its journal records that when the disk has space/);
  await untilFull(data);
  await home.ok("rm", "flood");
  assert.ok(freeBytes(data) > 1024 * 1024, "the space of the journal is free");
  assert.equal(await home.ok("ls", "-a", "-q"), "old\n");

  // With space everything is as ever, without a restart.
  disk.resize(64 * 1024);
  let problems: readonly string[] | undefined;
  await until(
    async () => (problems = (await home.info())?.problems)?.length === 0,
    "the registry and the views are written",
  ).catch((cause: unknown) => {
    throw new Error(`Problems that stay: ${problems?.join("; ")}`, { cause });
  });
  await home.ok("run", "-d", "--name", "new", "--", "echo", "hello again");
  await home.ok("wait", "new");
  await home.crashDaemon();
  assert.match(await home.ok("ls", "-a"), /new +exited 0[^]*old +exited 0/);
  assert.equal(await home.ok("logs", "new"), "hello again\n");
  assert.doesNotMatch(readFileSync(home.paths.logFile, "utf8"), /"level":60/);
});

test("a daemon whose token, views and registry were removed starts on a full disk and finds its sessions", async (context) => {
  if (cannotMount(context)) return;
  await using home = new CliHome();
  const data = home.paths.dataDirectory;
  mkdirSync(data, { mode: 0o700 });
  using disk = mountTiny(data, 4096);
  await using _programs = endsWithSpace(home, disk);
  await home.ok("run", "-d", "--name", "old", "--", "echo", "kept");
  await home.ok("wait", "old");
  await home.ok("down", "--programs");
  for (const name of ["token", "views.db", "lectern.db"]) rmSync(join(data, name));
  fill(join(data, "filler"));
  const { code, stderr } = await home.run(["up", "--detach", "--no-tcp"]);
  assert.equal(code, 0, stderr);
  assert.match(await home.ok("ls", "-a"), /old +/);
  assert.equal(await home.ok("logs", "old"), "kept\n");
  const problems = (await home.info())?.problems.join("\n") ?? "";
  for (const file of ["token", "views.db", "lectern.db"]) assert.match(problems, new RegExp(`Cannot write .*${file}`));
  assert.match((await home.run(["doctor"])).stdout, /fail +data files +Cannot write/);
  disk.resize(64 * 1024);
  await home.ok("down");
  assert.match(await home.ok("ls", "-a"), /old +exited 0/);
  assert.deepEqual((await home.info())?.problems, []);
});
