import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { dirname } from "node:path";
import { test } from "node:test";
import { isRunning } from "../../src/pty/proc-files.ts";
import { CliHome, gone, SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

test("commands that start at the same time start one daemon", async () => {
  await using home = new CliHome();
  const started = await Promise.all(
    Array.from({ length: 4 }, (_, index) => home.spawn(["run", "-d", "--name", `s${index}`, "--", "cat"])),
  );
  assert.deepEqual(
    started.map(({ code, stderr }) => [code, stderr]),
    Array.from({ length: 4 }, () => [0, ""]),
  );
  assert.equal((await home.info())?.sessions.live, 4);
});

test("after a killed daemon the next command finds every session again", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  await home.ok("send", "a", "--enter", "before");
  // The terminal's echo, and what the program writes.
  await home.ok("wait", "a", "--for", String.raw`output:before\nbefore\n`);
  await home.crashDaemon();
  await home.ok("send", "a", "--enter", "after");
  await home.ok("wait", "a", "--for", String.raw`output:after\nafter\n`);
  assert.equal(await home.ok("logs", "a"), "before\nbefore\nafter\nafter\n");
});

test("up says where it listens and what to type next, and ends with Ctrl-C while programs go on", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  const client = await home.info();
  const up = home.onTerminal(["up", "--port", "0"]);
  await up.until("run -- bash");
  assert.match(up.text, /is running as process \d+, 1 session resumed/);
  assert.match(up.text, /listens on unix:/);
  const url = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(up.text)?.[1];
  assert.ok(url !== undefined);
  assert.equal((await fetch(`${url}/v1/daemon`)).status, 401);
  await gone(client?.pid ?? 0);
  const pid = (await home.info())?.pid;
  assert.match(
    await home.fails("up", "--no-tcp"),
    new RegExp(`^4 lectern: Cannot start a second daemon: process ${pid}`),
  );
  up.pty.write(Buffer.from("\u0003"));
  assert.deepEqual(await up.ended, { reason: "exited", code: 0, signal: null });
  assert.match(await home.ok("ls"), /^a +running/m);
});

test("up --detach returns when the daemon is ready, and down ends it", async () => {
  await using home = new CliHome();
  const ready = JSON.parse(await home.ok("up", "--detach", "--no-tcp", "--json")) as { pid: number };
  assert.equal((await home.info())?.pid, ready.pid);
  assert.match(await home.fails("up", "-d", "--no-tcp"), /^4 lectern: Cannot start a second daemon/);
  await home.ok("down");
  assert.equal(await home.info(), undefined);
  assert.match((await home.run(["down"])).stderr, /The daemon is not running/);
});

test("a port that is busy is said with the address, and no daemon is left", async () => {
  await using home = new CliHome();
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  assert.match(await home.fails("up", "--port", String(port)), new RegExp(`^4 lectern: .*${port}`));
  assert.match(await home.fails("up", "--detach", "--port", String(port)), new RegExp(`^4 lectern: .*${port}`));
  assert.equal(await home.info(), undefined);
  other.close();
});

test("down --programs ends the programs, also where no daemon runs", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  const { pid } = await home.client.call("sessions.get", { session: "a" });
  await home.ok("down");
  assert.ok(pid !== null && isRunning(pid));
  await home.ok("down", "--programs");
  assert.ok(!isRunning(pid));
});

test("what follows a session goes on after a crash and ends after down, and a command is said to go on", async () => {
  const home = await shared.empty();
  for (const name of ["a", "b"]) await home.ok("run", "-d", "--name", name, "--", "bash");
  const chat = home.onTerminal(["chat", "-f", "a"]);
  const records = home.onTerminal(["logs", "-f", "--json", "a"]);
  await home.ok("exec", "a", "--", "echo one");
  await home.ok("resize", "a", "81x24");
  await Promise.all([chat.until("$ echo one"), records.until('"columns":81')]);
  await home.crashDaemon();
  await home.ok("exec", "a", "--", "echo two");
  await home.ok("resize", "a", "82x24");
  await Promise.all([chat.until("$ echo two"), records.until('"columns":82')]);
  const exec = home.spawn(["exec", "b", "--timeout", "10m", "--", "echo be''gun; sleep 600"]);
  await home.ok("wait", "b", "--for", "output:begun", "--from", "0", "--timeout", "60s");
  await home.ok("down");
  for (const each of [chat, records]) {
    assert.deepEqual(await each.ended, { reason: "exited", code: 1, signal: null });
    assert.match(each.text, /The daemon was stopped with/);
  }
  const { code, stderr } = await exec;
  // Nobody has cancelled it.
  assert.match(stderr, /^lectern: Lost the daemon: a command that was typed keeps running; see "lectern logs b"/);
  assert.equal(code, 6);
});

test("a daemon of another protocol is refused with the next step, and down still ends it", async () => {
  await using home = new CliHome();
  mkdirSync(dirname(home.paths.daemonSocket), { recursive: true, mode: 0o700 });
  let stops = 0;
  // Of a process that has ended.
  const { pid } = spawnSync("true");
  const old = createServer((request, response) => {
    if (request.method === "POST") {
      stops += 1;
      old.close();
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ protocolVersion: 0, version: "0.0.1", pid, listen: [], hosts: [] }));
  });
  await new Promise<void>((resolve) => old.listen(home.paths.daemonSocket, resolve));
  assert.match(await home.fails("run", "--", "true"), /^6 lectern: .*version 0\.0\.1.*lectern down && lectern up/);
  await home.ok("down");
  assert.equal(stops, 1);
});

test("a home that others can read is refused, and doctor says the same with the mend", async () => {
  await using home = new CliHome();
  mkdirSync(home.paths.dataDirectory, { mode: 0o755 });
  chmodSync(home.paths.dataDirectory, 0o755);
  assert.match(await home.fails("run", "--", "true"), /^5 lectern: .*chmod 700/);
  const { code, stdout } = await home.run(["doctor"]);
  assert.equal(code, 1);
  assert.match(stdout, /^fail +data directory .*0755\n.*chmod 700/m);
  chmodSync(home.paths.dataDirectory, 0o700);
});

test("doctor finds nothing wrong with and without a daemon", async () => {
  await using home = new CliHome();
  assert.match(await home.ok("doctor"), /^ok +daemon +not running/m);
  await home.ok("run", "-d", "--", "cat");
  const { checks } = JSON.parse(await home.ok("doctor", "--json")) as { checks: { name: string; status: string }[] };
  assert.deepEqual(
    checks.filter(({ status }) => status === "fail"),
    [],
  );
  assert.ok(checks.some(({ name }) => name === "pty host"));
});

test("tokens are made once, listed without their text, and revoked", async () => {
  const home = await shared.empty();
  const url = (await home.info())?.listen.find((where) => where.startsWith("http"));
  const made = JSON.parse(await home.ok("token", "create", "--label", "ci", "--json")) as { id: string; token: string };
  const status = async () =>
    (await fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${made.token}` } })).status;
  assert.equal(await status(), 200);
  const list = await home.ok("token", "ls");
  assert.ok(list.includes(made.id) && list.includes("ci") && !list.includes(made.token));
  await home.ok("token", "revoke", made.id);
  assert.equal(await status(), 401);
  assert.match(await home.fails("token", "revoke"), /^2 /);
});

test("the token of a browser that logged in has its device and its last use, also after a restart", async () => {
  await using home = new CliHome();
  await home.ok("up", "-d", "--port", "0");
  const url = (await home.info())?.listen.find((where) => where.startsWith("http")) ?? "";
  const [, code] = /login#(\S+)/.exec(await home.ok("open", "--print")) ?? [];
  const userAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/26.0 Mobile/15E148 Safari/604.1";
  const login = await fetch(`${url}/login`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": userAgent, origin: url },
    body: JSON.stringify({ code }),
  });
  const cookie = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const listed = async () =>
    (JSON.parse(await home.ok("token", "ls", "--json")) as { tokens: { label: string; lastUsedAt: string | null }[] })
      .tokens;
  assert.deepEqual(
    (await listed()).map(({ label, lastUsedAt }) => [label, lastUsedAt]),
    [["Safari on iPhone here", null]],
  );
  assert.equal((await fetch(`${url}/v1/sessions`, { headers: { cookie } })).status, 200);
  const [used] = await listed();
  assert.ok(used?.lastUsedAt !== null);
  await home.ok("down");
  await home.ok("up", "-d", "--port", "0");
  assert.deepEqual(await listed(), [used]);
});

test("mistakes are said with the nearest right word and exit code 2, as JSON where that is wanted", async () => {
  const home = await shared.empty();
  assert.match(await home.fails("atach"), /^2 lectern: Unknown command "atach", did you mean "attach"\?/);
  assert.match(await home.fails("ls", "--al"), /^2 lectern: Unknown option "--al", did you mean "--all"\?/);
  const { code, stderr } = await home.run(["wait", "--json"]);
  assert.deepEqual([code, (JSON.parse(stderr) as { code: string }).code], [2, "USAGE"]);
  assert.match(await home.ok("help", "ls"), /^Usage: lectern ls \[options\]$/m);
  assert.match(await home.ok(), /^  Start: +run /m);
});

test("down --programs names both steps where a daemon of another version runs", async () => {
  await using home = new CliHome();
  mkdirSync(home.paths.runtimeDirectory, { recursive: true, mode: 0o700 });
  const former = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ version: "0.0.1", protocolVersion: 0, pid: process.pid }));
  });
  former.listen(home.paths.daemonSocket);
  await once(former, "listening");
  try {
    assert.match(
      await home.fails("down", "--programs"),
      /^6 lectern: Cannot end the programs .*: run "lectern down", .* then "lectern down --programs" again$/,
    );
  } finally {
    former.closeAllConnections();
    former.close();
  }
});
