/** Replicas of journals on real servers: what a reader restores is the journal byte for byte, whatever happened meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NatsServers } from "./support/nats-servers.ts";
import { digestOf, digestOfReplica, joinCluster, replicasOf, untilReplicated } from "./support/replicas.ts";
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

test("the leader is killed in a flood: nothing is lost, and nothing comes twice", async () => {
  await using servers = await NatsServers.start(3, members);
  await using box = await TemporaryDaemon.start();
  await joinCluster(box, servers, "box");
  const session = await box.run(flood(4));
  await box.untilOutput(session.id, "50000");
  await servers.kill(0);
  await box.exitOf(session.id);
  await servers.startServer(0);
  await untilReplicated(box);
  await assertEqual(servers, box, session.id);
});
