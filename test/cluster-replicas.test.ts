/** Replicas of journals on real servers: what a reader restores is the journal byte for byte, whatever happened meanwhile. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
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
/** A session that prints some hundred kilobytes a second, as long as something is done to the servers. */
async function startFlood(box: TemporaryDaemon): Promise<{ readonly id: string; readonly end: () => Promise<void> }> {
  const file = join(box.paths.dataDirectory, "flood-ends");
  const script = `for ((i = 0; ; i += 10000)); do seq $i $((i + 8000)); [ -e "$0" ] && break; sleep 0.1; done`;
  const { id } = await box.run(["bash", "-c", script, file]);
  const end = async (): Promise<void> => {
    writeFileSync(file, "");
    await box.exitOf(id);
  };
  return { id, end };
}

const untilOtherLeader = async (servers: NatsServers, leader: number): Promise<void> =>
  await until(
    async () => (await leaderOf(servers, "box").catch(() => leader)) !== leader,
    "another server leads the stream",
  );

async function assertEqual(servers: NatsServers, daemon: TemporaryDaemon, session: string): Promise<void> {
  const [journal, replica] = await Promise.all([
    digestOf(`${daemon.paths.sessionsDirectory}/${session}`),
    digestOfReplica(servers, place(session)),
  ]);
  assert.deepEqual(replica, journal);
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
async function survives(happens: (servers: NatsServers, box: TemporaryDaemon) => Promise<void>): Promise<void> {
  await using servers = await NatsServers.start(3, members);
  await using box = await TemporaryDaemon.start();
  await joinCluster(box, servers, "box");
  const session = await startFlood(box);
  await box.untilOutput(session.id, "50000");
  await happens(servers, box);
  await session.end();
  await untilReplicated(box);
  await assertEqual(servers, box, session.id);
}

test("the leader of the stream is killed in a flood: nothing is lost, and nothing comes twice", async () => {
  await survives(async (servers) => {
    const leader = await leaderOf(servers, "box");
    await servers.kill(leader);
    await untilOtherLeader(servers, leader);
    await servers.startServer(leader);
  });
});

test("two of three servers are killed until much has not been confirmed", async () => {
  await survives(async (servers, box) => {
    const leader = await leaderOf(servers, "box");
    const other = (leader + 1) % 3;
    await Promise.all([servers.kill(leader), servers.kill(other)]);
    await until(async () => (await replicasOf(box)).sessions.some(({ lagBytes }) => lagBytes > 1_000_000));
    await Promise.all([servers.startServer(leader), servers.startServer(other)]);
  });
});

test("the leader stands still until another server leads, as in a partition that ends", async () => {
  await survives(async (servers) => {
    const leader = await leaderOf(servers, "box");
    servers.signal("SIGSTOP", leader);
    await untilOtherLeader(servers, leader);
    servers.signal("SIGCONT", leader);
  });
});

test("the data of the server is wiped: everything is sent again from the journals, also of sessions that had ended", async () => {
  await using servers = await NatsServers.start(1, members);
  await using box = await TemporaryDaemon.start();
  await joinCluster(box, servers, "box");
  const before = await box.run(["seq", "50000"]);
  await box.exitOf(before.id);
  const during = await startFlood(box);
  await box.untilOutput(during.id, "20000");
  await untilReplicated(box).catch(() => undefined);
  await servers.kill();
  rmSync(join(servers.directory, servers.servers[0]?.name ?? "", "jetstream"), { recursive: true });
  await servers.startServer();
  await servers.prepare();
  await during.end();
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
  const kept = await startFlood(box);
  await until(async () => (await digestOfReplica(servers, place(removed.id))).bytes > 0);
  await box.restart();
  await box.call("sessions.remove", { session: removed.id });
  await kept.end();
  await untilReplicated(box);
  await assertEqual(servers, box, kept.id);
  await until(async () => (await digestOfReplica(servers, place(removed.id))).bytes === 0);
});
