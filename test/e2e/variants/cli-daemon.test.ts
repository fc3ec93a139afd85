/** What commands do with a daemon, once more: other followers, places and moments. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";
import { USUAL_PORT } from "../../../src/cli/listening.ts";
import { CliHome, SharedHome, type Result } from "../cli-home.ts";

const shared = new SharedHome();

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
