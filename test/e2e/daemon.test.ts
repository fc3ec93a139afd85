import assert from "node:assert/strict";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { CallContext } from "../../src/daemon/service.ts";
import { JournalReader } from "../../src/journal/reader.ts";
import { readStat } from "../../src/pty/proc-files.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import { filesIn, isRunning, TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { platform } from "../../src/pty/platform.ts";

const shared = new SharedDaemon();

test("a program runs, is typed to, and its exit is known exactly", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "--norc"], { shellIntegration: false });
  await daemon.call("sessions.input", { session: id, text: "echo sum $((40 + 2)); exit 7", enter: true });
  const session = await daemon.exitOf(id);
  assert.deepEqual([session.state, session.exit], ["exited", { reason: "exited", code: 7, signal: null }]);
  assert.match((await daemon.outputOf(id)).toString(), /^sum 42\r$/m);
  const types = (await daemon.recordsOf(id)).map(({ type }) => type);
  assert.deepEqual([types[0], types.at(-1)], ["mark", "exit"]);
  assert.ok(types.indexOf("input") < types.lastIndexOf("output"));
});

test("a daemon that starts again finds each session at its offset, and the program has gone on meanwhile", async () => {
  const daemon = await shared.empty();
  const counting = await daemon.run(["bash", "-c", "for i in $(seq 300); do echo line $i; sleep 0.001; done; read"]);
  const quick = await daemon.run(["bash", "-c", "sleep 0.2; echo done; exit 3"]);
  await daemon.close();
  await until(async () => {
    await using reader = await JournalReader.open(join(daemon.paths.sessionsDirectory, quick.id));
    return reader.ended;
  }, "the quick program ends while no daemon runs");
  await daemon.open();
  assert.equal(daemon.running.resumed, 1);
  await daemon.untilOutput(counting.id, "^line 300$");
  const lines = (await daemon.outputOf(counting.id)).toString().trimEnd().split("\r\n");
  assert.deepEqual(
    lines,
    Array.from({ length: 300 }, (_, index) => `line ${index + 1}`),
  );
  const ended = await daemon.call("sessions.get", { session: quick.id });
  assert.deepEqual([ended.state, ended.exit?.code], ["exited", 3]);
});

test("a pty host that is killed loses its programs, says so in the journal, and a new one takes new sessions", async () => {
  await using daemon = await TemporaryDaemon.start();
  const lost = await daemon.run(["seq", "100000000"]);
  await daemon.untilOutput(lost.id, "^100000$");
  const [host] = await daemon.hosts();
  // Out of reach of a signal to the terminal or the process group of the daemon.
  if (platform.hasProc) assert.equal(readStat(host!.pid)?.session, host!.pid);
  process.kill(host!.pid, "SIGKILL");
  assert.equal((await daemon.exitOf(lost.id)).state, "lost");
  const records = await daemon.recordsOf(lost.id);
  assert.deepEqual(
    records.slice(-2).map(({ type }) => type),
    ["gap", "exit"],
  );
  assert.deepEqual(records.at(-2)?.["gap"], { reason: "host-lost", bytesMax: 65_536 });
  // Whatever was read is there to the last byte that was appended: the exact beginning of what the program wrote.
  const lines = (await daemon.outputOf(lost.id)).toString().split("\r\n");
  const cut = lines.pop() ?? "";
  assert.ok(lines.length >= 100_000);
  assert.ok(lines.every((line, index) => line === String(index + 1)));
  assert.ok(`${lines.length + 1}\r`.startsWith(cut));
  const next = await daemon.run(["echo", "still here"]);
  assert.equal((await daemon.exitOf(next.id)).exit?.code, 0);
  assert.notEqual((await daemon.hosts())[0]?.pid, host!.pid);
  assert.deepEqual(daemon.errors, []);
});

test("sessions whose host and daemon both were killed are listed as lost and can be read", async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id } = await daemon.run(["bash", "-c", "echo before; read"]);
  await daemon.untilOutput(id, "before");
  const [host] = await daemon.hosts();
  await daemon.close();
  process.kill(host!.pid, "SIGKILL");
  await until(() => !isRunning(host!.pid), "the host ends");
  await daemon.open();
  assert.deepEqual([daemon.running.resumed, daemon.running.lost], [0, 1]);
  assert.equal((await daemon.call("sessions.get", { session: id })).state, "lost");
  assert.match((await daemon.outputOf(id)).toString(), /before/);
});

test("the registry is an index: without it sessions are found by their directories", async () => {
  await using daemon = await TemporaryDaemon.start();
  const running = await daemon.run(["cat"], { name: "kept", labels: { project: "a" } });
  const ended = await daemon.run(["echo", "over"], { name: "over" });
  await daemon.exitOf(ended.id);
  await daemon.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${daemon.paths.databaseFile}${suffix}`, { force: true });
  await daemon.open();
  const { sessions } = await daemon.call("sessions.list", {});
  assert.deepEqual(
    sessions.map(({ id, name, state }) => [id, name, state]),
    [
      [ended.id, "over", "exited"],
      [running.id, "kept", "running"],
    ],
  );
  assert.deepEqual((await daemon.call("sessions.get", { session: "kept" })).labels, { project: "a" });
});

test("a second daemon on the same directory is refused", async () => {
  const daemon = await shared.empty();
  await assert.rejects(TemporaryDaemon.start(daemon.paths.dataDirectory), { code: "ALREADY_RUNNING" });
});

test("a host of another version is drained: its sessions go on, new ones get a new host", async () => {
  await using daemon = await TemporaryDaemon.start();
  const old = await daemon.run(["cat"]);
  await daemon.restart("0.0.1-test");
  await daemon.call("sessions.input", { session: old.id, text: "still typed to", enter: true });
  await daemon.untilOutput(old.id, "still typed to\\s+still typed to");
  await daemon.run(["cat"], { name: "new" });
  const hosts = await daemon.hosts();
  assert.deepEqual(
    hosts.map(({ version, draining, sessions }) => [version, draining, sessions]),
    [
      ["0.0.0-test", true, 1],
      ["0.0.1-test", false, 1],
    ],
  );
  await daemon.call("sessions.kill", { session: old.id });
  await until(() => !isRunning(hosts[0]!.pid), "the drained host ends with its last session");
});

test("a command, a directory or a name that cannot be is a clear error and leaves nothing behind", async () => {
  const daemon = await shared.empty();
  await daemon.run(["cat"], { name: "taken" });
  const before = filesIn(daemon.paths.sessionsDirectory);
  await assert.rejects(daemon.run(["no-such-program-anywhere"]), {
    code: "COMMAND_NOT_FOUND",
    message: /no-such-program/,
  });
  await assert.rejects(daemon.run(["/etc/passwd"]), { code: "COMMAND_NOT_EXECUTABLE" });
  await assert.rejects(daemon.run(["cat"], { workingDirectory: "/no/such/place" }), {
    code: "WORKING_DIRECTORY_NOT_FOUND",
  });
  await assert.rejects(daemon.run(["cat"], { name: "taken" }), { code: "NAME_TAKEN", message: /rename or kill/ });
  assert.deepEqual(filesIn(daemon.paths.sessionsDirectory), before);
  assert.equal((await daemon.call("sessions.list", {})).sessions.length, 1);
});

test("a session is meant by id, by name, or by the beginning of its id; a live one before an ended one", async () => {
  const daemon = await shared.empty();
  const first = await daemon.run(["true"], { name: "work" });
  await daemon.exitOf(first.id);
  const second = await daemon.run(["cat"], { name: "work" });
  assert.equal((await daemon.call("sessions.get", { session: "work" })).id, second.id);
  assert.equal((await daemon.call("sessions.get", { session: first.id.slice(0, 8) })).id, first.id);
  await assert.rejects(daemon.call("sessions.get", { session: "absent" }), {
    code: "SESSION_NOT_FOUND",
    message: /lectern ls/,
  });
  assert.equal((await daemon.run(["cat"])).name, "cat");
  assert.equal((await daemon.run(["cat"])).name, "cat-2");
});

test("what is asked of an ended session is refused with the way to read it", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["true"]);
  await daemon.exitOf(id);
  await assert.rejects(daemon.call("sessions.input", { session: id, text: "x" }), {
    code: "SESSION_ENDED",
    message: /lectern logs/,
  });
  await assert.rejects(daemon.call("sessions.kill", { session: id }), { code: "SESSION_ENDED" });
  await assert.rejects(daemon.call("sessions.resize", { session: id, columns: 10, rows: 10 }), {
    code: "SESSION_ENDED",
  });
});

test("a running session is not removed by accident, and a forced removal leaves no file and no process", async () => {
  const daemon = await shared.empty();
  const { id, pid } = await daemon.run(["bash", "-c", "trap '' HUP TERM; sleep 1000"]);
  await assert.rejects(daemon.call("sessions.remove", { session: id }), {
    code: "SESSION_RUNNING",
    message: /lectern kill/,
  });
  await daemon.call("sessions.remove", { session: id, force: true });
  assert.ok(!isRunning(pid ?? 0));
  assert.deepEqual(filesIn(daemon.paths.sessionsDirectory), []);
  assert.deepEqual((await daemon.call("sessions.list", {})).sessions, []);
});

test("kill reaches a process that left the session's process group and its session", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "-c", "setsid -f sh -c 'echo daemon $$; exec sleep 1000'; read"]);
  const { match } = await daemon.untilOutput(id, "daemon \\d+\\n");
  const pid = Number(match?.split(" ")[1]);
  assert.ok(isRunning(pid));
  await daemon.call("sessions.kill", { session: id, graceMs: 200 });
  await until(() => !isRunning(pid), "the process that left is ended too");
});

test("a password that is typed without echo is masked in the journal, with its length", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "-c", 'read -sp "password: " word; echo; echo "${#word} characters"; read']);
  await daemon.untilOutput(id, "password: ");
  await daemon.call("sessions.input", { session: id, text: "hunter2", enter: true });
  await daemon.untilOutput(id, "7 characters");
  const inputs = (await daemon.recordsOf(id)).filter(({ type }) => type === "input");
  assert.deepEqual(
    inputs.map((record) => [record["bytes"], record["secret"]]),
    [[8, true]],
  );
  for (const format of ["asciicast-v3", "asciicast-v2", "raw"] as const) {
    const text = await exported(daemon, id, format);
    assert.ok(!text.includes("hunter2"), format);
  }
  assert.match(await exported(daemon, id, "asciicast-v3"), /"i", ?"\*{7}/);
});

test("a recording that is exported and imported shows the same output", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["bash", "-c", "printf 'caf\\303\\251 \\033[1mbold\\033[m\\n'; exit 5"]);
  await daemon.exitOf(id);
  const cast = await exported(daemon, id, "asciicast-v3");
  const imported = await daemon.running.service.handlers["sessions.import"](
    { name: "copy" },
    { ...context(), body: chunksOf(Buffer.from(cast)) },
  );
  assert.deepEqual([imported.state, imported.exit?.code], ["exited", 5]);
  assert.deepEqual(await daemon.outputOf("copy"), await daemon.outputOf(id));
});

test("a recording with a broken line is refused with its number and leaves nothing behind", async () => {
  const daemon = await shared.empty();
  const broken = Buffer.from('{"version":2,"width":80,"height":24}\n[0.1,"o","fine"]\n[0.2,"o",\n');
  const imported = daemon.running.service.handlers["sessions.import"]({}, { ...context(), body: chunksOf(broken) });
  await assert.rejects(imported, { code: "MALFORMED", message: /line 3/ });
  assert.deepEqual(filesIn(daemon.paths.sessionsDirectory), []);
});

async function exported(
  daemon: TemporaryDaemon,
  session: string,
  format: "asciicast-v3" | "asciicast-v2" | "raw",
): Promise<string> {
  const body = await daemon.running.service.handlers["sessions.export"]({ session, format, content: false }, context());
  return Buffer.concat(await Array.fromAsync(body.chunks)).toString();
}

const context = (): CallContext => ({
  caller: { scope: "admin", session: null },
  signal: new AbortController().signal,
});

/** In pieces, so that lines and characters are cut. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

test("who resumes behind the exit of a session is told at once that nothing follows", async () => {
  const daemon = await shared.empty();
  const { id } = await daemon.run(["cat"]);
  const follow = daemon.running.service.handlers["sessions.follow"];
  using early = await follow({ session: id, from: 0 }, context());
  assert.equal(early.isOver, false);
  const { end } = await daemon.call("sessions.kill", { session: id });
  using late = await follow({ session: id, from: end }, context());
  assert.equal(late.isOver, true);
});

test("a removal that a killed daemon has begun is finished by the next one", async () => {
  await using daemon = await TemporaryDaemon.start();
  const ids = [];
  for (const name of ["kept", "row", "directory"]) {
    const { id } = await daemon.run(["echo", name], { name });
    await daemon.call("sessions.wait", { session: id, for: { type: "exit" }, timeoutMs: 60_000 });
    ids.push(id);
  }
  await daemon.close();
  const { sessionsDirectory } = daemon.paths;
  // Killed after the directory had its new name, and after the row was gone.
  for (const id of ids.slice(1)) renameSync(join(sessionsDirectory, id), join(sessionsDirectory, `${id}.removed`));
  const database = new DatabaseSync(daemon.paths.databaseFile);
  database.prepare("DELETE FROM sessions WHERE id = ?").run(ids[2] ?? "");
  database.close();
  await daemon.open();
  const listed = (await daemon.call("sessions.list", {})).sessions;
  assert.deepEqual(
    listed.map(({ name }) => name),
    ["kept"],
  );
  assert.deepEqual(readdirSync(sessionsDirectory), [ids[0]]);
});

test("a daemon whose sessions nobody gates begins no audit log", async () => {
  await using daemon = await TemporaryDaemon.start();
  await daemon.exitOf((await daemon.run(["true"])).id);
  assert.deepEqual(readdirSync(daemon.paths.auditDirectory), []);
});
