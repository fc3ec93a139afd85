/**
 * Many idle sessions of `cat`: memory of host and daemon for each, threads and descriptors of the host, the time until all are
 * ready, and `list`; the daemon's memory again when their views were put away; then attaching to the end of a session with a long journal.
 *
 *   node bench/sessions.ts [gigabytes=1] [idleSeconds=100]
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { compile } from "./support/compile.ts";
import { median } from "./support/statistics.ts";
import { BenchDaemon, residentKibOf } from "./support/daemon.ts";

const gigabytes = Number(process.argv[2] ?? 1);
const idleSeconds = Number(process.argv[3] ?? 100);
const flood = compile("flood");
const ATTACHES = 20;

await using daemon = await BenchDaemon.start();
const { client } = daemon;

async function settled(pid: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 500));
  return residentKibOf(pid);
}

const first = await client.call("sessions.create", { command: ["cat"] });
const [host = 0] = await daemon.hostPids();
const ids = [first.id];
const base = { host: await settled(host), daemon: await settled(daemon.pid) };
for (const count of [50, 300]) {
  const start = performance.now();
  const created = await Promise.all(
    Array.from({ length: count - ids.length }, () => client.call("sessions.create", { command: ["cat"] })),
  );
  const readyMs = performance.now() - start;
  ids.push(...created.map(({ id }) => id));
  const each = (now: number, before: number): string => ((now - before) / (ids.length - 1)).toFixed(1);
  const [hostKib, daemonKib] = [await settled(host), await settled(daemon.pid)];
  const list = performance.now();
  await client.call("sessions.list", {});
  console.log(
    `${ids.length} sessions: ${created.length} started in ${readyMs.toFixed(0)} ms; host ${each(hostKib, base.host)} KiB each, daemon ${each(daemonKib, base.daemon)} KiB each; host threads ${readdirSync(`/proc/${host}/task`).length}, descriptors ${readdirSync(`/proc/${host}/fd`).length}; list ${(performance.now() - list).toFixed(1)} ms`,
  );
}
await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000));
const idleKib = await settled(daemon.pid);
console.log(`after ${idleSeconds} s: daemon ${((idleKib - base.daemon) / (ids.length - 1)).toFixed(1)} KiB each`);
const screenMs: number[] = [];
for (const session of ids.slice(0, 20)) {
  const start = performance.now();
  await client.call("sessions.screen", { session });
  screenMs.push(performance.now() - start);
}
console.log(`the screen of one that was put away: ${median(screenMs).toFixed(1)} ms (median of ${screenMs.length})`);
await Promise.all(ids.map((session) => client.call("sessions.remove", { session, force: true })));
await settled(host);
console.log(`after their end: host descriptors ${readdirSync(`/proc/${host}/fd`).length}`);

const { id } = await client.call("sessions.create", {
  command: [flood, "text", String(gigabytes * 1000)],
  retainBytesMax: 4 * 1024 ** 3,
});
const { session } = await client.call("sessions.wait", { session: id, for: { type: "exit" }, timeoutMs: 3_600_000 });
const bytes = readdirSync(join(daemon.paths.sessionsDirectory, id)).length;
await daemon.crash();
const firstByteMs: number[] = [];
for (let attach = 0; attach < ATTACHES; attach++) {
  const start = performance.now();
  await using attachment = await client.attach(id, { readOnly: true });
  for await (const item of attachment) if (item.type === "output") break;
  firstByteMs.push(performance.now() - start);
}
console.log(
  `attach to the end of ${(session.end / 1e9).toFixed(2)} GB in ${bytes} files: first byte after ${firstByteMs[0]?.toFixed(1)} ms the first time (new daemon), then ${median(firstByteMs.slice(1)).toFixed(1)} ms (median of ${ATTACHES - 1})`,
);
