/**
 * One flooding session, 1, 10 and 100 viewers, and 10 of which one never reads: bytes per second that each healthy viewer gets,
 * and the memory of the daemon.
 *
 *   node bench/fan-out.ts [seconds=10] [stalledSeconds=60]   (3 interleaved rounds with and without the stalled one)
 */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { compile } from "./support/compile.ts";
import { median } from "./support/statistics.ts";
import { BenchDaemon, residentKibOf } from "./support/daemon.ts";

const seconds = Number(process.argv[2] ?? 10);
const stalledSeconds = Number(process.argv[3] ?? 60);
const STALLED_ROUNDS = 3;
const flood = compile("flood");

/** Counts what a viewer gets. It acknowledges as the library does. */
async function watch(
  daemon: BenchDaemon,
  session: string,
  signal: AbortSignal,
): Promise<{ bytes: number; gaps: number }> {
  const seen = { bytes: 0, gaps: 0 };
  await using attachment = await daemon.client.attach(session, { readOnly: true });
  signal.addEventListener("abort", () => attachment.detach());
  for await (const item of attachment) {
    if (item.type === "output") seen.bytes += item.bytes.length;
    if (item.type === "gap") seen.gaps++;
  }
  return seen;
}

/** A WebSocket client that asks for the session and never reads again. */
function stall(daemon: BenchDaemon, session: string): () => void {
  const socket = connect(daemon.paths.daemonSocket);
  socket.write(
    `GET /v1/sessions/${session}/attach?readOnly=true HTTP/1.1\r\nHost: lectern\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: lectern.v1\r\n\r\n`,
  );
  socket.on("error", () => {});
  socket.pause();
  return () => socket.destroy();
}

interface Round {
  readonly viewers: number;
  readonly stalled: number;
  readonly lastsSeconds: number;
}

async function run(daemon: BenchDaemon, { viewers, stalled, lastsSeconds }: Round): Promise<number> {
  const { id } = await daemon.client.call("sessions.create", {
    command: [flood, "text", "1000000"],
    retainBytesMax: 256 * 1024 * 1024,
  });
  const stop = new AbortController();
  const releases = Array.from({ length: stalled }, () => stall(daemon, id));
  const watching = Array.from({ length: viewers - stalled }, () => watch(daemon, id, stop.signal));
  await sleep(2000);
  const memoryBefore = residentKibOf(daemon.pid);
  let memoryMax = memoryBefore;
  const start = performance.now();
  while (performance.now() - start < lastsSeconds * 1000) {
    await sleep(250);
    memoryMax = Math.max(memoryMax, residentKibOf(daemon.pid));
  }
  stop.abort();
  const seen = await Promise.all(watching);
  const took = (performance.now() - start) / 1000 + 2;
  for (const release of releases) release();
  await daemon.client.call("sessions.remove", { session: id, force: true });
  const each = seen.reduce((sum, { bytes }) => sum + bytes, 0) / seen.length / took / 1e6;
  const gaps = seen.reduce((sum, viewer) => sum + viewer.gaps, 0);
  console.log(
    `${String(viewers).padStart(3)} viewers, ${stalled} stalled, ${lastsSeconds} s: ${each.toFixed(1)} MB/s each, ${(each * seen.length).toFixed(0)} MB/s in all, ${gaps} gaps for those that read, daemon ${(memoryBefore / 1024).toFixed(0)} MiB at 2 s, +${((memoryMax - memoryBefore) / 1024).toFixed(1)} MiB at most after`,
  );
  return each;
}

await using daemon = await BenchDaemon.start();
await run(daemon, { viewers: 1, stalled: 0, lastsSeconds: 3 });
for (const viewers of [1, 10, 100]) await run(daemon, { viewers, stalled: 0, lastsSeconds: seconds });
const ratios: number[] = [];
for (let round = 0; round < STALLED_ROUNDS; round++) {
  const healthy = await run(daemon, { viewers: 9, stalled: 0, lastsSeconds: stalledSeconds });
  const beside = await run(daemon, { viewers: 10, stalled: 1, lastsSeconds: stalledSeconds });
  ratios.push(beside / healthy);
}
console.log(
  `9 viewers beside a stalled one get ${median(ratios).toFixed(2)} x what 9 get without it (median of ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")})`,
);
