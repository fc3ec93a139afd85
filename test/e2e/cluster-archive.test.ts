/** The history of a machine that is dead, read on another one: processes of their own, real servers, `kill -9`. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { connectChecked } from "../../src/features/cluster/daemon/connect.ts";
import { ReplicaStream } from "../../src/features/cluster/daemon/replicas/replica-stream.ts";
import { unixTransport } from "../../src/client/unix-transport.ts";
import type { Session } from "../../src/protocol/session.ts";
import { ClusterHomes } from "../support/cluster-homes.ts";
import { digestOf, digestOfReplica } from "../support/replicas.ts";
import { until } from "../support/until.ts";

const cluster = await ClusterHomes.start({ box: "operator", laptop: "operator" });
after(async () => cluster[Symbol.asyncDispose]());
const box = cluster.home("box");
const laptop = cluster.home("laptop");

/** False while there is no connection: on a busy machine, a server may be slow to greet. */
async function inStream(look: (stream: ReplicaStream) => Promise<boolean>): Promise<boolean> {
  const checked = await connectChecked(cluster.servers.token("laptop")).catch(() => undefined);
  if (checked === undefined) return false;
  const { connection, jetstream } = checked;
  try {
    return await look(new ReplicaStream("box", connection, jetstream));
  } finally {
    await connection.close();
  }
}

/** What is known of a session is written a second after it has changed. */
async function isKnownAs(name: string, state: string): Promise<boolean> {
  const { sessions } = await box.client.call("sessions.list", {});
  const { id = "" } = sessions.find((session) => session.name === name) ?? {};
  return await inStream(async (stream) => (await stream.facts(id))?.includes(`"state":"${state}"`) === true);
}

const decisionOf = (call: string) =>
  ({
    type: "decision",
    session: "elsewhere",
    call,
    timeMs: 1_700_000_000_000,
    requester: "me",
    tool: "bash",
    source: "anthropic",
    provenance: "wire",
    argumentsHash: "a".repeat(64),
    effect: "deny",
    decidedBy: "list",
    line: 3,
    policyHash: null,
    evidence: "rm -rf /",
  }) as const;

const untilSent = async (): Promise<void> =>
  await until(async () => {
    const { replicas } = await box.client.call("cluster.status", {});
    return (
      replicas?.reason === null &&
      replicas.waiting === 0 &&
      replicas.removing === 0 &&
      replicas.sessions.every(({ lagBytes, state }) => state === "following" && lagBytes === 0)
    );
  }, "the replicas of the box are complete");

/** With all its programs and hosts, as when the power fails. */
async function killBox(): Promise<void> {
  const { hosts } = await box.client.call("daemon.info", {});
  const { pid } = JSON.parse(readFileSync(box.paths.daemonFile, "utf8")) as { readonly pid: number };
  for (const each of [...hosts.map((host) => host.pid), pid]) process.kill(each, "SIGKILL");
}

const untilBoxIs = async (wanted: string): Promise<void> =>
  await until(async () => {
    const { machines } = await laptop.client.call("cluster.status", {});
    return machines.some(({ name, state }) => name === "box" && state === wanted);
  }, `the box is ${wanted}`);

test("a daemon that is killed while a session floods goes on where it was: the replica is the journal", async () => {
  const program = "for i in $(seq 30); do seq $((i * 10000)) $((i * 10000 + 8000)); sleep 0.1; done";
  await box.ok("run", "--name", "flood", "--detach", "--", "bash", "-c", program);
  const { id } = await box.client.call("sessions.get", { session: "flood" });
  await until(async () => (await box.client.call("sessions.get", { session: id })).end > 500_000, "it floods");
  const { pid } = JSON.parse(readFileSync(box.paths.daemonFile, "utf8")) as { readonly pid: number };
  process.kill(pid, "SIGKILL");
  await box.ok("up", "--detach", "--no-tcp").catch(() => "its host was faster");
  await until(async () => (await box.client.call("sessions.get", { session: id })).exit !== null, "it has ended");
  await untilSent();
  const journal = await digestOf(join(box.paths.sessionsDirectory, id));
  const place = { reader: "laptop", machine: "box", session: id };
  await until(
    async () => (await digestOfReplica(cluster.servers, place)).sha1 === journal.sha1,
    "the replica is equal",
  );
  await box.ok("rm", "flood");
});

test("sessions of a dead machine are lost, and each reader works on them", async () => {
  await box.ok("run", "--name", "done", "--detach", "--", "bash", "-c", "echo finished; seq 20000; exit 3");
  const event = '<FORGE_EVENT name="deployed">{"to":"haystack"}</FORGE_EVENT>';
  const program = `seq 50000; echo '${event}'; echo the needle; exec cat`;
  await box.ok("run", "--name", "site", "--detach", "--label", "project=web", "--", "bash", "-c", program);
  await until(async () => (await box.ok("logs", "site")).includes("the needle"));
  await box.ok("wait", "done");
  const exported = await box.ok("export", "done", "--format", "raw");
  const logged = await box.ok("logs", "site");
  await untilSent();
  await until(
    async () => (await isKnownAs("site", "running")) && (await isKnownAs("done", "exited")),
    "the facts are sent",
  );
  // More rows than one message has.
  for (const part of ["a", "b"]) {
    const rows = Array.from({ length: 90 }, (_, index) => decisionOf(`${part}${index}`));
    await box.client.call("audit.append", { rows });
  }
  const log = await box.client.call("audit.list", { limit: 1000 });
  await until(
    async () => await inStream(async (stream) => (await stream.auditTail()).next === log.end),
    "the rows of the audit log are sent",
  );
  await killBox();
  await untilBoxIs("away");

  const { sessions } = JSON.parse(await laptop.ok("ls", "--all", "--json")) as { sessions: Session[] };
  const shown = sessions.map(({ name, state, labels, isImported }) => ({ name, state, labels, isImported }));
  assert.deepEqual(
    shown.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    [
      { name: "done", state: "exited", labels: {}, isImported: false },
      { name: "site", state: "lost", labels: { project: "web" }, isImported: false },
    ],
  );
  assert.match(await laptop.ok("ls", "--all"), /box\/site.*lost/);
  assert.equal(await laptop.ok("export", "box/done", "--format", "raw"), exported);
  assert.equal((await laptop.ok("logs", "box/site")).startsWith(logged), true);
  assert.match(await laptop.ok("screen", "box/site"), /the needle/);
  assert.match(await laptop.ok("info", "box/site"), /lost/);
  assert.match(await laptop.ok("export", "box/site", "--format", "asciicast-v3"), /the needle/);
  for (const words of [["chat"], ["events"], ["status"], ["digest"]]) {
    const [command = "", ...options] = words;
    const result = await laptop.run([command, "box/site", ...options]);
    assert.equal(result.code, 0, `${command}: ${result.stderr}`);
  }
  assert.match(await laptop.ok("events", "box/site", "--json"), /haystack/);
  assert.match(await laptop.ok("search", "haystack", "--all"), /box\/site/);
  assert.match(
    await laptop.ok("replay", "site", "--host", "box", "--idle-max", "10ms", "--speed", "1000"),
    /the needle/,
  );
  // With the same hashes: it is the same chain.
  assert.deepEqual((await laptop.client.on("box").call("audit.list", { limit: 1000 })).rows, log.rows);
  assert.match(await laptop.ok("audit", "--host", "box", "-n", "1"), /elsewhere b89 bash deny by list/);
  // Whoever follows one that ran waits for its machine, which may have been away for a moment.
  const transport = unixTransport(laptop.paths.daemonSocket);
  const follow = async (session: string): Promise<number> => {
    const headers = { accept: "text/event-stream" };
    const path = `/v1/machines/box/sessions/${session}/follow?from=0`;
    const response = await transport.request({ method: "GET", path, headers });
    response.cancel();
    return response.status;
  };
  assert.deepEqual([await follow("done"), await follow("site"), await follow("unsent")], [200, 503, 503]);
  const handlers = { onMessage: () => undefined, onClose: () => undefined };
  const attach = { path: "/v1/machines/box/sessions/site/attach?from=0", protocol: "lectern.v1", handlers };
  await assert.rejects(transport.openSocket(attach), { code: "MACHINE_AWAY" });
  const sent = await laptop.run(["send", "box/site", "hello"]);
  assert.notEqual(sent.code, 0);
  assert.match(sent.stderr, /Cannot reach machine "box"/);
});

test("the end of what was sent is declared, and the machine that comes back is read itself", async () => {
  assert.match(await laptop.ok("info", "box/site", "--json"), /"exit":\{"reason":"lost"/);
  await box.startDaemon("--no-tcp");
  await untilBoxIs("connected");
  assert.match(await laptop.ok("info", "box/site"), /lost/);
  await box.ok("run", "--name", "again", "--detach", "--", "cat");
  await until(async () => (await laptop.ok("ls", "--all")).includes("box/again"));
});
