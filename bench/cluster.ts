/**
 * Two daemons in a cluster of three nats-servers on loopback. One of them over its unix socket (local), over the cluster (nats), and through the
 * other daemon, as its page does (daemon): requests, echoes, and a flood that is read without a loss. Then presence, and a
 * flood under which the server of the reader or of the machine is killed.
 *
 *   node bench/cluster.ts [samples=500] [megabytes=40] [kills=4]
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LecternClient } from "../src/client/client.ts";
import { connectChecked } from "../src/features/cluster/daemon/connect.ts";
import { natsTransport } from "../src/features/cluster/daemon/nats-transport.ts";
import { TunnelHub } from "../src/features/cluster/daemon/tunnel-hub.ts";
import { NatsServers } from "../test/support/nats-servers.ts";
import { compile } from "./support/compile.ts";
import { BenchDaemon } from "./support/daemon.ts";
import { attached, echoOf, floodOf, listOf, show } from "./support/machine-acts.ts";
import { interleaved, median } from "./support/statistics.ts";

const samples = Number(process.argv[2] ?? 500);
const megabytes = Number(process.argv[3] ?? 40);
const kills = Number(process.argv[4] ?? 4);
const WARM_SAMPLES = 300;
const LINES = 100_000;
const PROBE_MS = 5;

await using servers = await NatsServers.start(3, { box: "machine", laptop: "operator", bench: "operator" });
await using box = await BenchDaemon.start();
await using laptop = await BenchDaemon.start();
await joinCluster(box, "box");
await joinCluster(laptop, "laptop");
await untilState("connected");

const { connection } = await connectChecked(servers.token("bench"));
const hub = new TunnelHub(connection, "bench");
const clients = {
  local: box.client,
  nats: new LecternClient(natsTransport({ machine: "box", scopeMax: "write", hub: () => hub })),
  daemon: laptop.client.on("box"),
};

const echoes = {
  local: await echoOf(clients.local),
  nats: await echoOf(clients.nats),
  daemon: await echoOf(clients.daemon),
};
for (const echo of Object.values(echoes)) for (let warm = 0; warm < WARM_SAMPLES; warm++) await echo();
show("echo", await interleaved(samples, echoes));
const lists = { local: listOf(clients.local), nats: listOf(clients.nats), daemon: listOf(clients.daemon) };
show("list", await interleaved(samples, lists));
await attached.disposeAsync();

const flood = await box.client.call("sessions.create", { command: [compile("flood"), "text", String(megabytes)] });
await box.client.call("sessions.wait", { session: flood.id, for: { type: "exit" }, timeoutMs: 120_000 });
const speeds = await interleaved(5, {
  local: () => floodOf(clients.local, flood.id),
  nats: () => floodOf(clients.nats, flood.id),
  daemon: () => floodOf(clients.daemon, flood.id),
});
for (const [name, values] of speeds) console.log(`flood  ${name.padEnd(6)} ${median(values).toFixed(1)} MB/s`);
hub.close("the bench ends");
await connection.close();

for (let round = 0; round < kills; round++) await killUnderFlood(round % 2 === 0 ? laptop : box);
for (let round = 0; round < 3; round++) await measurePresence();

async function joinCluster(daemon: BenchDaemon, name: string): Promise<void> {
  copyFileSync(join(servers.directory, `${name}.token`), daemon.paths.clusterFile);
  await daemon.client.call("cluster.read", {});
}

/** Milliseconds until the laptop sees the box in this state. */
async function untilState(wanted: string): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { machines } = await laptop.client.call("cluster.status", {});
    if (machines.some(({ name, state }) => name === "box" && state === wanted)) return performance.now() - start;
    await sleep(PROBE_MS);
  }
}

/** Lines of a session of the box that the laptop follows, while a server is killed. */
async function killUnderFlood(victim: BenchDaemon): Promise<void> {
  const script = `for n in $(seq 0 ${LINES / 1000 - 1}); do seq $((n * 1000)) $((n * 1000 + 999)); sleep 0.04; done`;
  const { id } = await box.client.call("sessions.create", { command: ["sh", "-c", script] });
  await using attachment = await laptop.client.attach(`box/${id}`, { from: 0, readOnly: true, lossless: true });
  const chunks: Uint8Array[] = [];
  let killed: number | undefined;
  let [lastMs, pauseMs, gaps] = [performance.now(), 0, 0];
  for await (const item of attachment) {
    if (item.type === "gap") gaps += 1;
    if (item.type !== "output") continue;
    pauseMs = Math.max(pauseMs, performance.now() - lastMs);
    lastMs = performance.now();
    chunks.push(item.bytes);
    if (killed !== undefined || chunks.length < 20) continue;
    const { server } = await victim.client.call("cluster.status", {});
    killed = servers.servers.findIndex(({ port }) => server?.endsWith(`:${port}`));
    await servers.kill(killed);
  }
  const lines = Buffer.concat(chunks).toString().trimEnd().split("\r\n");
  const wrong = lines.filter((line, index) => line !== String(index)).length;
  console.log(
    `kill   server of the ${victim === box ? "box" : "laptop"}: ${lines.length} of ${LINES} lines, ${wrong} wrong, ${gaps} gaps, longest pause ${pauseMs.toFixed(0)} ms`,
  );
  if (killed !== undefined) await servers.startServer(killed);
  await untilState("connected");
}

async function measurePresence(): Promise<void> {
  await untilState("connected");
  const killed = performance.now();
  const backMs = box.crash().then(async () => {
    const answers = performance.now();
    for (;;) {
      const { machines, state } = await box.client.call("cluster.status", {});
      if (state === "connected" && machines.some(({ name, state: own }) => name === "box" && own === "connected"))
        break;
      await sleep(PROBE_MS);
    }
    return [answers - killed, performance.now() - answers] as const;
  });
  const [startMs, linkMs] = await backMs;
  process.kill(box.pid, "SIGSTOP");
  const awayMs = await untilState("away");
  process.kill(box.pid, "SIGCONT");
  const againMs = await untilState("connected");
  console.log(
    `presence: daemon killed, answers after ${startMs.toFixed(0)} ms, is back in the cluster ${linkMs.toFixed(0)} ms later; away ${awayMs.toFixed(0)} ms after SIGSTOP, back ${againMs.toFixed(0)} ms after SIGCONT`,
  );
}
