/**
 * What members cost each other and the server while nothing happens: presence of 3, 10 and 30 members, each with a connection of its own to a
 * real nats-server, all in this process. Processor time in milliseconds per second, so another job on the machine changes little.
 *
 *   node bench/cluster-size.ts [seconds=20] [members=3,10,30]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Cluster } from "../src/features/cluster/daemon/cluster.ts";
import { NatsServers } from "../test/support/nats-servers.ts";

const seconds = Number(process.argv[2] ?? 20);
const sizes = (process.argv[3] ?? "3,10,30").split(",").map(Number);
const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** Processor time in milliseconds, and resident memory in MB. */
function costOf(pid: number): { readonly cpuMs: number; readonly megabytes: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    megabytes: (Number(fields[21]) * PAGE_BYTES) / 1e6,
  };
}

for (const size of sizes) {
  const names = Array.from({ length: size }, (_, index) => `m${index}`);
  await using servers = await NatsServers.start(
    1,
    Object.fromEntries(names.map((name) => [name, "operator" as const])),
  );
  const home = mkdtempSync(join(tmpdir(), "lectern-bench-"));
  const members = names.map((name) => {
    const directory = join(home, name);
    mkdirSync(directory);
    return new Cluster({
      tokenFile: join(servers.directory, `${name}.token`),
      daemonSocket: join(directory, "none.sock"),
      instanceFile: join(directory, "instance"),
      facts: () => ({ version: "0.0.0", protocolVersion: 2, sessions: 100, sinceMs: 0 }),
      // Members without sessions: what replicas cost is in `replicas.ts`.
      registry: { all: [].values(), get: () => undefined, subscribe: () => ({ [Symbol.dispose]: () => {} }) },
      audit: {
        list: () => Promise.resolve({ rows: [], next: 0, end: 0 }),
        changed: () => new Promise<boolean>(() => {}),
      },
      replicasFile: join(directory, "replicas.json"),
      onReplicaProblem: () => {},
      archivesDirectory: join(directory, "archives"),
      onProblem: () => {},
      onError: (error) => console.error(error),
    });
  });
  const isWhole = (member: Cluster): boolean =>
    member.list().filter(({ state }) => state === "connected").length >= size - 1;
  while (!members.every(isWhole)) await sleep(200);
  await sleep(2000);
  const pid = servers.pid();
  const before = { server: costOf(pid), own: process.cpuUsage() };
  await sleep(seconds * 1000);
  const server = costOf(pid);
  const own = process.cpuUsage(before.own);
  const ownMs = (own.user + own.system) / 1000 / seconds / size;
  console.log(
    `${String(size).padStart(4)} members: server ${((server.cpuMs - before.server.cpuMs) / seconds).toFixed(1)} ms/s, ${server.megabytes.toFixed(0)} MB; each member ${ownMs.toFixed(2)} ms/s`,
  );
  await Promise.all(members.map((member) => member.close()));
  rmSync(home, { recursive: true, force: true });
}
