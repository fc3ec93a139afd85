/** Daemons that are members of a cluster, on real servers that are killed and stopped. */
import assert from "node:assert/strict";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { OutputOf } from "../src/protocol/operations.ts";
import { NatsServers } from "./support/nats-servers.ts";
import { TemporaryDaemon } from "./support/temporary-daemon.ts";
import { until } from "./support/until.ts";

type ClusterStatus = OutputOf<"cluster.status">;

/** Gives a daemon the token of a member, as `lectern cluster join` does. */
async function joinCluster(daemon: TemporaryDaemon, servers: NatsServers, name: string): Promise<ClusterStatus> {
  copyFileSync(join(servers.directory, `${name}.token`), daemon.paths.clusterFile);
  return daemon.call("cluster.read", {});
}

const statusOf = async (daemon: TemporaryDaemon): Promise<ClusterStatus> => daemon.call("cluster.status", {});

/** Such as `box connected`. */
const statesOf = async (daemon: TemporaryDaemon): Promise<string[]> =>
  (await statusOf(daemon)).machines.map(({ name, state }) => `${name} ${state}`);

const untilStates = async (daemon: TemporaryDaemon, ...wanted: string[]): Promise<void> => {
  let last: string[] = [];
  await until(async () => {
    last = await statesOf(daemon);
    return wanted.every((state) => last.includes(state));
  }, wanted.join(", ")).catch((cause: unknown) => {
    throw new Error(`Wanted ${wanted.join(", ")}, found ${last.join(", ")}`, { cause });
  });
};

test("a daemon without a token is in no cluster", async () => {
  await using daemon = await TemporaryDaemon.start();
  assert.deepEqual((await statusOf(daemon)).joined, false);
  assert.equal((await daemon.call("cluster.read", {})).state, "off");
});

test("machines of a cluster see each other, with their sessions; one that leaves is gone, one that stops is away", async () => {
  await using servers = await NatsServers.start(1, { box: "machine", laptop: "operator", eye: "viewer" });
  await using box = await TemporaryDaemon.start();
  await using laptop = await TemporaryDaemon.start();
  await using eye = await TemporaryDaemon.start();
  assert.equal((await joinCluster(box, servers, "box")).state, "connected");
  assert.equal((await joinCluster(laptop, servers, "laptop")).state, "connected");
  assert.equal((await joinCluster(eye, servers, "eye")).state, "connected");
  for (const daemon of [box, laptop, eye]) await untilStates(daemon, "box connected", "laptop connected");
  assert.equal((await statesOf(eye)).length, 2, "a viewer offers no sessions, so it has no row");
  await box.run(["sleep", "600"]);
  await until(async () => (await statusOf(laptop)).machines.find(({ name }) => name === "box")?.sessions === 1);
  const [{ version } = { version: "" }] = (await statusOf(laptop)).machines;
  assert.equal(version, "0.0.0-test");
  await laptop.close();
  // Away it may be before, where its signs of life are late.
  await until(async () =>
    (await statusOf(eye)).machines.some(
      ({ name, reason, state }) => name === "laptop" && state === "away" && reason?.includes("stopped") === true,
    ),
  );
  await laptop.open();
  await untilStates(eye, "laptop connected");
  rmSync(laptop.paths.clusterFile);
  assert.equal((await laptop.call("cluster.read", {})).joined, false);
  await until(async () => !(await statesOf(eye)).some((state) => state.startsWith("laptop")));
});

test("a server that is killed or stopped is noticed, and the link comes back with it", async () => {
  await using servers = await NatsServers.start(1, { box: "machine", laptop: "operator" });
  await using box = await TemporaryDaemon.start();
  await using laptop = await TemporaryDaemon.start();
  await joinCluster(box, servers, "box");
  await joinCluster(laptop, servers, "laptop");
  await untilStates(laptop, "box connected");
  await servers.kill();
  await until(async () => {
    const { reason, state } = await statusOf(laptop);
    return state === "connecting" && /lost the connection|Cannot reach/.test(reason ?? "");
  });
  await untilStates(laptop, "box away");
  await servers.startServer();
  await untilStates(laptop, "box connected");
  servers.signal("SIGSTOP");
  await untilStates(laptop, "box away");
  servers.signal("SIGCONT");
  await untilStates(laptop, "box connected");
  assert.equal((await statusOf(laptop)).state, "connected");
});

test("of three servers, one that is stopped or killed costs nothing but the time to connect to another", async () => {
  await using servers = await NatsServers.start(3, { box: "machine", laptop: "operator" });
  await using box = await TemporaryDaemon.start();
  await using laptop = await TemporaryDaemon.start();
  await joinCluster(box, servers, "box");
  await joinCluster(laptop, servers, "laptop");
  await untilStates(laptop, "box connected");
  for (const fault of ["SIGSTOP", "SIGKILL"] as const) {
    const server = (await statusOf(laptop)).server ?? "";
    const index = servers.servers.findIndex(({ port }) => server.endsWith(`:${port}`));
    if (fault === "SIGKILL") await servers.kill(index);
    else servers.signal(fault, index);
    await until(async () => {
      const now = await statusOf(laptop);
      return now.state === "connected" && now.server !== server;
    }, `another server after ${fault}`);
    await untilStates(laptop, "box connected");
    if (fault === "SIGKILL") await servers.startServer(index);
    else servers.signal("SIGCONT", index);
  }
});

test("the second of two daemons with one key is refused, and the first goes on", async () => {
  await using servers = await NatsServers.start(1, { box: "machine" });
  await using first = await TemporaryDaemon.start();
  await using second = await TemporaryDaemon.start();
  await joinCluster(first, servers, "box");
  const { reason, state } = await joinCluster(second, servers, "box");
  assert.equal(state, "refused");
  assert.match(reason ?? "", /another daemon uses its key/);
  assert.match((await second.call("daemon.info", {})).problems.join("\n"), /another daemon uses its key/);
  assert.equal((await statusOf(first)).state, "connected");
  await untilStates(first, "box connected");
});

test("a copy of a data directory does not take the name from the daemon that holds it", async () => {
  await using servers = await NatsServers.start(1, { box: "machine" });
  await using first = await TemporaryDaemon.start();
  await using copy = await TemporaryDaemon.start();
  await joinCluster(first, servers, "box");
  const instance = (daemon: TemporaryDaemon): string => join(daemon.paths.dataDirectory, "cluster-instance");
  copyFileSync(instance(first), instance(copy));
  await joinCluster(copy, servers, "box");
  await until(async () => (await statusOf(copy)).state === "refused");
  assert.equal((await statusOf(first)).state, "connected");
});

test("a token that cannot be used costs a daemon its cluster only, and the reason is shown until it is replaced", async () => {
  await using servers = await NatsServers.start(1, { box: "machine" });
  await using daemon = await TemporaryDaemon.start();
  const { clusterFile } = daemon.paths;
  for (const [text, mode, message] of [
    ["{", 0o600, /not valid JSON/],
    ["{}", 0o600, /token of a cluster/],
    ["{}", 0o644, /chmod 600/],
  ] as const) {
    rmSync(clusterFile, { force: true });
    writeFileSync(clusterFile, text, { mode });
    await daemon.restart();
    await until(async () => (await statusOf(daemon)).state === "refused");
    assert.match((await statusOf(daemon)).reason ?? "", message);
    assert.match((await daemon.call("daemon.info", {})).problems.join("\n"), message);
    await assert.rejects(daemon.call("cluster.read", {}), message);
  }
  rmSync(clusterFile);
  assert.equal((await joinCluster(daemon, servers, "box")).state, "connected");
  assert.deepEqual((await daemon.call("daemon.info", {})).problems, []);
});
