/**
 * Replicas of journals on nats-servers on loopback. Two daemons, of which one is in a cluster, in turn: how long a session takes that prints as
 * fast as it can (its host appends to the journal), and the processor time of the daemon at 1 MB/s. Then how far the replica is behind at 1 MB/s.
 *
 *   node bench/replicas.ts [servers=3] [megabytes=40] [rounds=5]
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NatsServers } from "../test/support/nats-servers.ts";
import { compile } from "./support/compile.ts";
import { BenchDaemon, cpuSecondsOf } from "./support/daemon.ts";
import { interleaved, median, quantile } from "./support/statistics.ts";

const count = process.argv[2] === "1" ? 1 : 3;
const megabytes = Number(process.argv[3] ?? 40);
const rounds = Number(process.argv[4] ?? 5);
const STEADY_SECONDS = 12;
const SAMPLE_MS = 20;
const REST_MS = 1500;
/** Twenty times a second. */
const STEADY_BYTES = 50_000;

await using servers = await NatsServers.start(count, { box: "machine" });
await using alone = await BenchDaemon.start();
await using member = await BenchDaemon.start();
copyFileSync(join(servers.directory, "box.token"), member.paths.clusterFile);
await member.client.call("cluster.read", {});
const flood = compile("flood");

const replicas = async () => (await member.client.call("cluster.status", {})).replicas;

async function untilSent(): Promise<void> {
  for (;;) {
    const found = await replicas();
    if (found?.reason === null && found.sessions.every(({ lagBytes }) => lagBytes === 0)) return;
    await sleep(SAMPLE_MS);
  }
}

/** Seconds from the start of the program to its end. */
async function printed({ client }: BenchDaemon): Promise<number> {
  const start = performance.now();
  const { id } = await client.call("sessions.create", { command: [flood, "text", String(megabytes)] });
  await client.call("sessions.wait", { session: id, for: { type: "exit" }, timeoutMs: 120_000 });
  return (performance.now() - start) / 1000;
}

async function steady({ client }: BenchDaemon): Promise<string> {
  const pieces = STEADY_SECONDS * 20;
  const program = `line=$(head -c ${STEADY_BYTES} /dev/urandom | base64 -w 99 | head -c ${STEADY_BYTES}); for i in $(seq ${pieces}); do echo "$line"; sleep 0.05; done`;
  return (await client.call("sessions.create", { command: ["bash", "-c", program] })).id;
}

/** Views and replicas read what was printed for some time after its end, which must not fall into the next round. */
async function printedAndRead(daemon: BenchDaemon): Promise<number> {
  const taken = await printed(daemon);
  await untilSent();
  await sleep(REST_MS);
  return taken;
}

await untilSent();
const seconds = await interleaved(rounds, {
  alone: () => printedAndRead(alone),
  member: () => printedAndRead(member),
});
const [without, along] = [median(seconds.get("alone") ?? []), median(seconds.get("member") ?? [])];
console.log(`flood of ${megabytes} MB: alone ${without.toFixed(2)} s, member ${along.toFixed(2)} s`);
console.log(`ratio ${(along / without).toFixed(3)}`);

for (const [name, daemon] of [["alone", alone] as const, ["member", member] as const]) {
  const before = cpuSecondsOf(daemon.pid);
  const session = await steady(daemon);
  const lags: number[] = [];
  for (let at = performance.now() + 1000; ; at += SAMPLE_MS) {
    const { exit } = await daemon.client.call("sessions.get", { session });
    if (exit !== null) break;
    if (daemon === member) {
      const lag = (await replicas())?.sessions.find(({ id }) => id === session)?.lagBytes;
      if (lag !== undefined) lags.push(lag);
    }
    await sleep(Math.max(0, at - performance.now()));
  }
  const used = cpuSecondsOf(daemon.pid) - before;
  console.log(`1 MB/s ${name}: processor ${((100 * used) / STEADY_SECONDS).toFixed(1)} %, with the samples`);
  if (lags.length === 0) continue;
  const kb = (share: number): string => `${(quantile(lags, share) / 1024).toFixed(0)} KiB`;
  console.log(`lag p50 ${kb(0.5)}, p99 ${kb(0.99)}, max ${kb(1)}, ${lags.length} samples`);
}
