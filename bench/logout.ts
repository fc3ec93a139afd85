/**
 * The directory of the sockets is removed again and again, as at a logout, while two programs write numbered lines: in turn with the daemon
 * alive, killed before it, and with the pty host stopped for a second. How soon a program can be typed into again, lines that are lost, and
 * how often a second writer got a journal (both must be 0).
 *
 *   node bench/logout.ts [wipes=20]
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LecternError } from "../src/core/errors.ts";
import { JournalWriter } from "../src/journal/writer.ts";
import { BenchDaemon } from "./support/daemon.ts";
import { LineCheck } from "./support/line-check.ts";
import { median } from "./support/statistics.ts";

const wipes = Number(process.argv[2] ?? 20);
const LINES = 200_000_000;
const BETWEEN_MS = 1500;
const STOPPED_MS = 1000;
const ways = ["daemon alive", "daemon killed", "host stopped"] as const;

await using daemon = await BenchDaemon.start();
const { client, paths } = daemon;
const floods = await Promise.all(
  [1, 2].map(
    async () => await client.call("sessions.create", { command: ["seq", String(LINES)], retainBytesMax: 1024 ** 4 }),
  ),
);
const typed = await client.call("sessions.create", { command: ["cat"] });
const sessions = [...floods, typed];
const [host = 0] = await daemon.hostPids();

/** Resolves with the milliseconds until the program answers what is typed. */
async function untilReached(): Promise<number> {
  const start = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { next } = await client.call("sessions.input", { session: typed.id, text: `${attempt}x\n` });
      await client.call("sessions.wait", {
        session: typed.id,
        for: { type: "output", pattern: `${attempt}x` },
        from: next,
      });
      return performance.now() - start;
    } catch (error) {
      if (!(error instanceof LecternError) || performance.now() - start > 60_000) throw error;
      await sleep(10);
    }
  }
}

async function secondWriters(): Promise<number> {
  let got = 0;
  for (const { id } of sessions) {
    try {
      const writer = await JournalWriter.open(join(paths.sessionsDirectory, id));
      got += 1;
      await writer.close();
    } catch (error) {
      if (!(error instanceof LecternError) || error.code !== "CONFLICT") throw error;
    }
  }
  return got;
}

const reachedMs = new Map<string, number[]>(ways.map((way) => [way, []]));
let writers = 0;
for (let wipe = 0; wipe < wipes; wipe += 1) {
  await sleep(BETWEEN_MS);
  const way = ways[wipe % ways.length] ?? "daemon alive";
  if (way === "host stopped") process.kill(host, "SIGSTOP");
  rmSync(paths.runtimeDirectory, { recursive: true, force: true });
  if (way === "daemon killed") await daemon.crash();
  if (way === "host stopped") {
    await sleep(STOPPED_MS);
    process.kill(host, "SIGCONT");
  }
  reachedMs.get(way)?.push(await untilReached());
  writers += await secondWriters();
}
for (const [way, times] of reachedMs)
  console.log(
    `${way.padEnd(14)} reached after ${median(times).toFixed(0)} ms (median), ${Math.max(...times).toFixed(0)} ms (worst of ${times.length})`,
  );

const listed = (await client.call("sessions.list", {})).sessions;
console.log(`${listed.filter(({ state }) => state !== "running").length} sessions lost, ${writers} second writers`);
for (const { id } of floods) {
  await client.call("sessions.kill", { session: id, graceMs: 0 });
  const check = new LineCheck();
  await using attachment = await client.attach(id, { from: 0, readOnly: true, lossless: true });
  let gaps = 0;
  for await (const item of attachment) {
    if (item.type === "output") check.feed(item.bytes);
    if (item.type === "gap") gaps += 1;
  }
  console.log(`${check.result(LINES).wrong} lines wrong, ${gaps} gaps`);
}
