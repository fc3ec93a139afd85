/**
 * This version and the one before, in pairs: command, daemon, host and data directory. Each pair works, or is refused with the reason
 * (docs/compatibility.md).
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { encodeJsonFrame, frameType } from "../../src/host/frames.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { runVersionBefore, unpackVersionBefore, whyNoVersionBefore } from "../support/version-before.ts";
import { CliHome } from "./cli-home.ts";

const options = { skip: whyNoVersionBefore ?? false };
const before = whyNoVersionBefore === undefined ? unpackVersionBefore() : "";
/** Standard output of a command of the version before, which must end well. */
const older = async (home: CliHome, ...words: readonly string[]): Promise<string> =>
  await runVersionBefore(before, words, { cwd: home.directory, env: home.environment });

test("a command works with a daemon of the other version, and doctor names both builds", options, async () => {
  await using home = new CliHome();
  await older(home, "run", "-d", "--name", "a", "--", "cat");
  const daemon = await home.info();
  await home.ok("send", "a", "from the newer command");
  await home.ok("wait", "a", "--for", "output:newer command");
  const { stdout: doctor } = await home.run(["doctor"]);
  const own = (await home.ok("--version")).replace("lectern ", "").trim();
  assert.match(
    doctor,
    new RegExp(`version ${daemon?.version}, process \\d+.*; this command has ${own.replace("+", "\\+")}`),
  );

  await home.ok("down");
  await home.ok("ls");
  assert.equal((await home.info())?.version, own);
  await older(home, "send", "a", "from the older command");
  await older(home, "wait", "a", "--for", "output:older command");
  assert.match(await older(home, "logs", "a"), /newer command[\s\S]*older command/);
});

test("a daemon takes over the sessions of a host of the version before, and drains it", options, async () => {
  await using home = new CliHome();
  await older(home, "run", "-d", "--name", "a", "--label", "team=x", "--", "cat");
  await older(home, "run", "--name", "b", "--", "echo", "kept");
  await older(home, "down");
  await home.ok("ls");
  await home.ok("send", "a", "hello");
  await home.ok("wait", "a", "--for", "output:hello");
  await home.ok("run", "-d", "--name", "c", "--", "cat");
  const { hosts = [] } = (await home.info()) ?? {};
  const [drained, fresh] = [true, false].map((draining) => hosts.find((host) => host.draining === draining));
  assert.deepEqual([hosts.length, drained?.sessions, fresh?.sessions], [2, 1, 1]);
  const shownOf = async (name: string) => {
    const { state, labels, exit } = await home.client.call("sessions.get", { session: name });
    return [state, labels, exit?.code];
  };
  assert.deepEqual(await shownOf("a"), ["running", { team: "x" }, undefined]);
  assert.deepEqual(await shownOf("b"), ["exited", {}, 0]);
  assert.match(await home.ok("logs", "b"), /kept/);
});

test("a session that another daemon reported lost continues if its host still runs it", async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id: session } = await daemon.run(["cat"], { name: "a" });
  await daemon.close();
  const database = new DatabaseSync(daemon.paths.databaseFile);
  const exit = JSON.stringify({ reason: "lost", code: null, signal: null });
  database
    .prepare("UPDATE sessions SET state = 'lost', pid = NULL, ended_at = ?, exit = ? WHERE id = ?")
    .run(new Date(0).toISOString(), exit, session);
  database.close();
  await daemon.open();
  const found = await daemon.call("sessions.get", { session: "a" });
  assert.deepEqual([found.state, found.exit, found.endedAt], ["running", null, null]);
  await daemon.call("sessions.input", { session, text: "still here", enter: true });
  await daemon.untilOutput(session, "still here\\s+still here");
});

test("a daemon of another protocol is refused with both versions and what to do", async (context) => {
  await using home = new CliHome();
  await home.ok("ls");
  const info = await home.info();
  await using other = new CliHome();
  const body = JSON.stringify({ ...info, version: "0.0.9", protocolVersion: 1 });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  mkdirSync(other.paths.runtimeDirectory, { recursive: true, mode: 0o700 });
  context.after(() => server.close().closeAllConnections());
  await new Promise<void>((done) => server.listen(other.paths.daemonSocket, done));
  const own = (await home.ok("--version")).replace("lectern ", "").trim();
  // A list starts no daemon.
  for (const words of [["logs", "a"], ["ls"], ["reload"]])
    assert.equal(
      await other.fails(...words),
      `6 lectern: Cannot talk to the daemon of version 0.0.9 with version ${own}: it speaks protocol 1, wanted 2; ` +
        'run "lectern down && lectern up"; sessions keep running',
    );
  const { stdout } = await other.run(["doctor"]);
  assert.match(stdout, /^fail +daemon .*version 0\.0\.9.* speaks protocol 1, wanted 2/m);
});

test("a session in a host of an unknown protocol is kept, and refused with that host's version", async (context) => {
  await using daemon = await TemporaryDaemon.start();
  const { id: session } = await daemon.run(["cat"], { name: "a" });
  const [{ name, pid } = { name: "", pid: 0 }] = await daemon.hosts();
  await daemon.close();
  // It keeps the journal, and cannot bind its socket again.
  process.kill(pid, "SIGSTOP");
  const path = join(daemon.paths.runtimeDirectory, name);
  renameSync(path, `${path}.away`);
  const hello = { protocol: 99, version: "9.0.0", pid, backend: "ffi", draining: false };
  const server = createSocketServer((socket) => {
    socket.on("error", () => undefined).write(encodeJsonFrame(frameType.hello, hello));
  });
  context.after(() => server.close());
  await new Promise<void>((done) => server.listen(path, done));
  await daemon.open();
  await assert.rejects(daemon.call("sessions.input", { session, text: "x", enter: true }), {
    code: "HOST_UNREACHABLE",
    message:
      /is running but its pty host \(process \d+\) of version 9\.0\.0 speaks protocol 99, which this version does not know/,
  });
  process.kill(pid, "SIGCONT");
});

test("doctor names what a newer version wrote into session.json, and it is kept", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--name", "newer", "--", "true");
  await home.ok("wait", "newer");
  const { id } = await home.client.call("sessions.get", { session: "newer" });
  const file = join(home.paths.sessionsDirectory, id, "session.json");
  const written: unknown = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...(written as object), levitates: 7 }));
  assert.match((await home.run(["doctor"])).stdout, /^warn +session .*"newer": its session\.json has "levitates", /m);
  await home.ok("rename", "newer", "older");
  assert.match(readFileSync(file, "utf8"), /"levitates":7/);
});
