import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { isRunning } from "../../src/pty/proc-files.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { USUAL_PORT } from "../../src/cli/listening.ts";
import { CliHome, gone, SharedHome, type Result } from "./cli-home.ts";

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

test("a daemon that a command starts listens where the last one did, also after down; not with --no-tcp", async () => {
  await using home = new CliHome();
  const url = `http://127.0.0.1:${await freePort()}`;
  const isListening = async (): Promise<boolean> => (await home.info())?.listen.includes(url) === true;
  await home.ok("ls");
  assert.equal(await isListening(), false);
  await home.ok("up", "--detach", "--port", new URL(url).port);
  await home.crashDaemon();
  await home.ok("ls");
  assert.equal(await isListening(), true);
  assert.equal((await fetch(`${url}/v1/daemon`)).status, 401);
  assert.match((await home.run(["down"])).stderr, /it listens again/);
  await home.ok("ls");
  assert.equal(await isListening(), true);
  await home.ok("up", "--detach", "--no-tcp");
  await home.crashDaemon();
  await home.ok("ls");
  assert.equal(await isListening(), false);
});

test("if the usual port is in use, up takes the next free one, and keeps it", async () => {
  await using home = new CliHome();
  const usual = createServer();
  // Another daemon of this machine may have it already.
  await once(usual.listen(USUAL_PORT, "127.0.0.1"), "listening").catch(() => undefined);
  const placeOf = async (): Promise<string> =>
    (await home.info())?.listen.find((place) => place.startsWith("http")) ?? assert.fail("no address");
  try {
    await home.ok("up", "--detach");
    const place = await placeOf();
    assert.ok(Number(new URL(place).port) > USUAL_PORT, place);
    usual.close();
    await home.crashDaemon();
    await home.ok("ls");
    assert.equal(await placeOf(), place);
    await home.ok("down");
    await home.ok("up", "--detach");
    assert.equal(await placeOf(), place);
  } finally {
    usual.close();
  }
});

test("after down, an address beyond this machine is listened at only if the configuration names it", async () => {
  await using home = new CliHome();
  const port = String(await freePort());
  const places = async (): Promise<number> =>
    (await home.info())?.listen.filter((place) => place.startsWith("http")).length ?? 0;
  await home.ok("up", "--detach", "--listen", "0.0.0.0", "--port", port, "--insecure-http");
  await home.ok("down");
  await home.ok("ls");
  assert.equal(await places(), 0);
  await home.ok("down");
  writeFileSync(home.paths.configFile, `listen: { host: 0.0.0.0, port: ${port}, insecureHttp: true }\n`);
  await home.ok("up", "--detach");
  await home.ok("down");
  await home.ok("ls");
  assert.notEqual(await places(), 0);
});

test("a port that another program has taken does not keep a command from its daemon", async () => {
  await using home = new CliHome();
  const port = await freePort();
  await home.ok("up", "--detach", "--port", String(port));
  await home.crashDaemon();
  const other = createServer();
  // A killed process still holds its sockets until its last thread has ended.
  await until(async () => {
    other.listen(port, "127.0.0.1");
    return await once(other, "listening").then(
      () => true,
      () => false,
    );
  });
  try {
    await home.ok("ls");
    assert.deepEqual((await home.info())?.listen, [`unix:${home.paths.daemonSocket}`]);
    assert.match(
      (await home.info())?.problems.join() ?? "",
      new RegExp(`Cannot listen on 127.0.0.1:${port}: it is in use`),
    );
  } finally {
    other.close();
  }
});

test("a copy of a data directory has a daemon of its own, while that of the original runs", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "one", "--", "cat");
  const original = await home.info();
  const copy = join(home.directory, "copy");
  assert.equal(spawnSync("cp", ["-a", home.paths.dataDirectory, copy]).status, 0);
  const env = { LECTERN_HOME: copy };
  try {
    const listed = await home.run(["ls", "--all"], { env });
    assert.deepEqual([listed.code, listed.stderr], [0, ""]);
    assert.match(listed.stdout, /^one +lost/m);
    const { pid } = JSON.parse((await home.run(["info", "--json"], { env })).stdout) as { readonly pid: number };
    assert.notEqual(pid, original?.pid);
    assert.match((await home.run(["kill", "one"], { env })).stderr, /one/);
  } finally {
    await home.run(["down"], { env });
  }
  assert.equal((await home.info())?.pid, original?.pid);
  assert.match(await home.ok("ls"), /^one +running/m);
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

test("what follows a session waits for the next daemon after down, and starts none by itself", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", "echo first; read -r line; echo last");
  await home.ok("wait", "a", "--for", "output:first", "--from", "0");
  const following = home.spawn(["logs", "-f", "a"]);
  const isFollowed = async (): Promise<boolean> => (await home.viewersOf("a")) === 1;
  await until(isFollowed, "a viewer");
  await home.ok("down");
  await home.ok("up", "--detach", "--no-tcp");
  await until(isFollowed, "the same viewer at the next daemon");
  await home.ok("down");
  const { code, stdout, stderr } = await following;
  assert.match(stderr, /The daemon was stopped with "lectern down"; programs keep running/);
  assert.deepEqual([code, stdout], [1, "first\n"]);
  assert.equal(await home.info(), undefined);
  await home.ok("send", "a", "--enter", "x");
  assert.match(await home.ok("logs", "-f", "a"), /last\n$/);
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

test("prompt --wait goes on with the next daemon, and names the key where none comes", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "bash");
  const prompt = home.spawn(["prompt", "a", "--shell", "echo be''gun; until [ -e go ]; do sleep 0.1; done", "--wait"]);
  const isWorking = async (): Promise<boolean> => {
    const { receipts } = await home.client.call("sessions.receipts", { session: "a" });
    return receipts[0]?.state === "working";
  };
  await until(isWorking, "a prompt that was typed");
  await home.crashDaemon();
  await until(async () => (await home.info()) !== undefined, "a daemon that the command has started");
  await home.ok("down");
  await home.ok("up", "--detach", "--no-tcp");
  writeFileSync(join(home.directory, "go"), "");
  const done = await prompt;
  assert.match(done.stdout, /^done \(key /);
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  assert.equal((await home.ok("logs", "a")).match(/^begun$/gm)?.length, 1);
  const again = home.spawn(["prompt", "a", "--shell", "sleep 600", "--key", "k2", "--wait"]);
  const isTyped = async (): Promise<boolean> => {
    const { receipts } = await home.client.call("sessions.receipts", { session: "a" });
    return receipts[1]?.state === "working";
  };
  await until(isTyped, "the second prompt");
  await home.ok("down");
  const { code, stderr } = await again;
  assert.match(stderr, /^lectern: The daemon was stopped with "lectern down";.* --key k2 waits again/);
  assert.equal(code, 1);
});

test("up takes the place of a daemon that a follower has started, and leaves the follower as it was where it fails", async () => {
  await using home = new CliHome();
  await using busy = createServer().listen(0, "127.0.0.1");
  await once(busy, "listening");
  const { port } = busy.address() as AddressInfo;
  await home.ok("run", "-d", "--name", "a", "--", "bash", "-c", "echo first; read -r line; echo last");
  await home.ok("wait", "a", "--for", "output:first", "--from", "0");
  const following = Array.from({ length: 2 }, () => home.spawn(["logs", "-f", "a"]));
  const ended: Result[] = [];
  for (const follower of following) void follower.then((result) => ended.push(result));
  const areFollowing = async (): Promise<boolean> => {
    assert.deepEqual(ended, []);
    return (await home.viewersOf("a")) === 2;
  };
  await until(areFollowing, "the followers");
  assert.match(await home.fails("up", "-d", "--port", String(port)), /it is in use/);
  assert.equal(existsSync(join(home.paths.runtimeDirectory, "ended")), false);
  await until(areFollowing, "the followers at a daemon that one of them has started");
  await home.crashDaemon();
  const ready = JSON.parse(await home.ok("up", "--detach", "--no-tcp", "--json")) as { pid: number };
  await until(areFollowing, "the followers at the daemon of up");
  assert.equal((await home.info())?.pid, ready.pid);
  await home.ok("send", "a", "--enter", "x");
  for (const { code, stdout } of await Promise.all(following)) {
    assert.equal(code, 0);
    assert.match(stdout, /^first\n(x\n)?last\n$/);
  }
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
