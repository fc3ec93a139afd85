/** Replicas of journals on real servers: what a reader restores is the journal byte for byte, whatever happened meanwhile. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DiscardPolicy } from "@nats-io/jetstream";
import { NatsServers } from "./support/nats-servers.ts";
import {
  digestOf,
  digestOfReplica,
  joinCluster,
  leaderOf,
  limitStream,
  replicasOf,
  untilReplicated,
} from "./support/replicas.ts";
import { until } from "./support/until.ts";
import { TemporaryDaemon } from "./support/temporary-daemon.ts";

const members = { box: "machine", laptop: "operator" } as const;
const place = (session: string) => ({ reader: "laptop", machine: "box", session });
/** Some megabytes, with pauses, so that it lasts as long as what is done to the servers. */
const flood = (seconds: number): string[] => [
  "bash",
  "-c",
  `for i in $(seq ${seconds * 10}); do seq $((i * 10000)) $((i * 10000 + 8000)); sleep 0.1; done`,
];

async function assertEqual(servers: NatsServers, daemon: TemporaryDaemon, session: string): Promise<void> {
  const [journal, replica] = await Promise.all([
    digestOf(`${daemon.paths.sessionsDirectory}/${session}`),
    digestOfReplica(servers, place(session)),
  ]);
  assert.deepEqual({ sha1: replica.sha1, bytes: replica.bytes, gaps: replica.gaps }, { ...journal, gaps: [] });
}

test("a session that runs is followed, and one that has ended is complete and rests", async () => {
  await using servers = await NatsServers.start(1, members);
  await using box = await TemporaryDaemon.start();
  const before = await box.run(["bash", "-c", "seq 100000"]);
  await box.exitOf(before.id);
  await joinCluster(box, servers, "box");
  const cat = await box.run(["cat"]);
  await box.call("sessions.input", { session: cat.id, text: "hello", enter: true });
  await box.untilOutput(cat.id, "hello");
  await untilReplicated(box);
  await assertEqual(servers, box, before.id);
  // Its host tells a little later what it has written.
  await until(
    async () =>
      await assertEqual(servers, box, cat.id).then(
        () => true,
        () => false,
      ),
    "cat is replicated",
  );
  // One that has ended rests when the cluster has confirmed its end.
  await until(async () => (await replicasOf(box)).sessions.length === 1);
  assert.deepEqual(
    (await replicasOf(box)).sessions.map(({ id, reason, state }) => ({ id, reason, state })),
    [{ id: cat.id, reason: null, state: "following" }],
  );
  await box.call("sessions.kill", { session: cat.id });
  await box.exitOf(cat.id);
  await untilReplicated(box);
  await assertEqual(servers, box, cat.id);
  assert.deepEqual(box.errors, []);
});

/** A session floods while something happens to the servers; in the end, its replica is its journal. */
async function survives(count: 1 | 3, happens: (servers: NatsServers) => Promise<void>): Promise<void> {
  await using servers = await NatsServers.start(count, members);
  await using box = await TemporaryDaemon.start();
  await joinCluster(box, servers, "box");
  const session = await box.run(flood(4));
  await box.untilOutput(session.id, "50000");
  await happens(servers);
  await box.exitOf(session.id);
  await untilReplicated(box);
  await assertEqual(servers, box, session.id);
}

test("the leader of the stream is killed in a flood: nothing is lost, and nothing comes twice", async () => {
  await survives(3, async (servers) => {
    const leader = await leaderOf(servers, "box");
    await servers.kill(leader);
    await delay(3000);
    await servers.startServer(leader);
  });
});

test("two of three servers are killed for some seconds", async () => {
  await survives(3, async (servers) => {
    const leader = await leaderOf(servers, "box");
    const other = (leader + 1) % 3;
    await Promise.all([servers.kill(leader), servers.kill(other)]);
    await delay(4000);
    await Promise.all([servers.startServer(leader), servers.startServer(other)]);
  });
});

test("the leader stands still for 8 s, as in a partition that ends", async () => {
  await survives(3, async (servers) => {
    const leader = await leaderOf(servers, "box");
    servers.signal("SIGSTOP", leader);
    await delay(8000);
    servers.signal("SIGCONT", leader);
  });
});

test("the data of the server is wiped: everything is sent again from the journals, also of sessions that had ended", async () => {
  await using servers = await NatsServers.start(1, members);
  await using box = await TemporaryDaemon.start();
  await joinCluster(box, servers, "box");
  const before = await box.run(["seq", "50000"]);
  await box.exitOf(before.id);
  const during = await box.run(flood(4));
  await box.untilOutput(during.id, "20000");
  await untilReplicated(box).catch(() => undefined);
  await servers.kill();
  rmSync(join(servers.directory, servers.servers[0]?.name ?? "", "jetstream"), { recursive: true });
  await servers.startServer();
  await servers.prepare();
  await box.exitOf(during.id);
  await box.call("cluster.read", {});
  await until(async () => (await replicasOf(box)).reason === null);
  await untilReplicated(box);
  await assertEqual(servers, box, before.id);
  await assertEqual(servers, box, during.id);
});

test("a quota that is full is reported, costs the session nothing, and is made up for later", async () => {
  await using servers = await NatsServers.start(1, members);
  await using box = await TemporaryDaemon.start();
  await limitStream(servers, "box", { max_bytes: 64 * 1024, discard: DiscardPolicy.New });
  await joinCluster(box, servers, "box");
  const session = await box.run(["bash", "-c", "head -c 2000000 /dev/urandom | base64; cat"]);
  await until(async () =>
    (await replicasOf(box)).sessions.some(
      ({ reason, state }) => state === "degraded" && reason?.includes("quota of the cluster is full") === true,
    ),
  );
  await box.call("sessions.input", { session: session.id, text: "unharmed", enter: true });
  await box.untilOutput(session.id, "unharmed");
  await limitStream(servers, "box", { max_bytes: 64 * 1024 * 1024, discard: DiscardPolicy.Old });
  await untilReplicated(box);
  await box.call("sessions.kill", { session: session.id });
  await box.exitOf(session.id);
  await untilReplicated(box);
  await assertEqual(servers, box, session.id);
});

test("a session that is removed is removed from the cluster, and another daemon of the same data goes on where the first was", async () => {
  await using servers = await NatsServers.start(1, members);
  await using box = await TemporaryDaemon.start();
  await joinCluster(box, servers, "box");
  const removed = await box.run(["seq", "1000"]);
  await box.exitOf(removed.id);
  const kept = await box.run(flood(2));
  await until(async () => (await digestOfReplica(servers, place(removed.id))).bytes > 0);
  await box.restart();
  await box.call("sessions.remove", { session: removed.id });
  await box.exitOf(kept.id);
  await untilReplicated(box);
  await assertEqual(servers, box, kept.id);
  await until(async () => (await digestOfReplica(servers, place(removed.id))).bytes === 0);
});
