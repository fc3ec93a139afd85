/**
 * Memory of the daemon: with 100 mixed sessions (shells with output, agents as recorded, full-screen programs, floods that are over), again
 * after a restart by `kill -9`, with idle ones, and the time of `ls` with ended ones.
 *
 *   node bench/memory.ts [mixed=100] [idle=1000] [ended=5000]
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeRecordedAgent } from "../test/support/recorded-agent.ts";
import { compile } from "./support/compile.ts";
import { BenchDaemon, residentKibOf } from "./support/daemon.ts";
import { median } from "./support/statistics.ts";

const [mixed = 100, idle = 1000, ended = 5000] = process.argv.slice(2).map(Number);
const SETTLE_MS = Number(process.env["SETTLE_MS"] ?? 30_000);
/** Views of quiet sessions are put away after a minute. */
const REST_MS = 100_000;
const AT_ONCE = 10;

type Command = [string, ...string[]];

const directory = mkdtempSync(join(tmpdir(), "lectern-memory-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
const recordings = join(import.meta.dirname, "../test/fixtures/recordings");
const agents = readdirSync(recordings)
  .filter((name) => /^(claude|codex|gemini|opencode|pi|qwen)-main.*\.cast/.test(name))
  .map((name): Command => {
    const cast = name.replace(/\.gz$/, "");
    const folder = mkdtempSync(join(directory, "agent-"));
    return [writeRecordedAgent(folder, { agent: name.split("-")[0] ?? "", cast, pauseS: 0.01 })];
  });
const flood = compile("flood");
const CLOCK =
  '$|=1; while (1) { print "\\e[H\\e[2J"; for $r (1..23) { printf "\\e[%d;1H\\e[3%dm%s %d", $r, $r % 8, scalar(localtime), rand(1e9) } sleep 1 }';
const kinds: readonly (() => Command)[] = [
  () => ["bash", "-c", "for i in $(seq 500); do echo line $i of some output; done; exec cat"],
  (() => {
    let next = 0;
    return () => agents[next++ % agents.length] ?? ["cat"];
  })(),
  () => ["perl", "-e", CLOCK],
  () => ["bash", "-c", `${flood} text 5; exec cat`],
];

const megabytes = (pid: number): string => (residentKibOf(pid) / 1024).toFixed(0);

async function start(daemon: BenchDaemon, commands: readonly Command[]): Promise<void> {
  const left = [...commands];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let command = left.pop(); command !== undefined; command = left.pop())
        await daemon.client.call("sessions.create", { command });
    }),
  );
}

async function listMs(daemon: BenchDaemon): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 10; count += 1) {
    const begin = performance.now();
    await daemon.client.call("sessions.list", {});
    times.push(performance.now() - begin);
  }
  return median(times);
}

async function measureMixed(): Promise<void> {
  await using daemon = await BenchDaemon.start();
  console.log(`daemon without sessions: ${megabytes(daemon.pid)} MB`);
  await start(
    daemon,
    Array.from({ length: mixed }, (_, index) => kinds[index % kinds.length]?.() ?? ["cat"]),
  );
  for (const part of [1, 2]) {
    await sleep(SETTLE_MS);
    console.log(`${mixed} mixed sessions, ${(part * SETTLE_MS) / 1000} s: ${megabytes(daemon.pid)} MB`);
  }
  await daemon.crash();
  for (const part of [1, 2]) {
    await sleep(SETTLE_MS);
    console.log(`${mixed} mixed sessions, ${(part * SETTLE_MS) / 1000} s after a restart: ${megabytes(daemon.pid)} MB`);
  }
}

async function measureIdle(): Promise<void> {
  await using daemon = await BenchDaemon.start();
  await start(
    daemon,
    Array.from({ length: idle }, (): Command => ["cat"]),
  );
  console.log(`${idle} idle sessions at once: ${megabytes(daemon.pid)} MB`);
  await sleep(REST_MS);
  console.log(`${idle} idle sessions after ${REST_MS / 1000} s: ${megabytes(daemon.pid)} MB`);
  await daemon.crash();
  await sleep(REST_MS);
  console.log(`${idle} idle sessions ${REST_MS / 1000} s after a restart: ${megabytes(daemon.pid)} MB`);
}

async function measureEnded(): Promise<void> {
  await using daemon = await BenchDaemon.start();
  await start(
    daemon,
    Array.from({ length: ended }, (): Command => ["true"]),
  );
  await sleep(2000);
  console.log(`${ended} ended sessions: ${megabytes(daemon.pid)} MB, list ${(await listMs(daemon)).toFixed(0)} ms`);
  await daemon.crash();
  await sleep(SETTLE_MS);
  console.log(
    `${ended} ended sessions after a restart: ${megabytes(daemon.pid)} MB, list ${(await listMs(daemon)).toFixed(0)} ms`,
  );
}

if (mixed > 0) await measureMixed();
if (idle > 0) await measureIdle();
if (ended > 0) await measureEnded();
