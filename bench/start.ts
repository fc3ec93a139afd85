/**
 * What a start costs: processor time and memory of a daemon that has just started, memory with one shell, and processor time of short
 * commands over that of a Node that does nothing.
 *
 *   node bench/start.ts [daemons=5] [commands=20]
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BenchDaemon, cpuSecondsOf, residentKibOf } from "./support/daemon.ts";
import { tellFigure } from "./support/figure.ts";
import { median } from "./support/statistics.ts";

const [daemons = 5, commands = 20] = process.argv.slice(2).map(Number);
const launcher = process.env["LECTERN_BENCH_LAUNCHER"] ?? join(import.meta.dirname, "../bin/lectern.mjs");
/** What starts a little later, as threads, is there by then. */
const SETTLE_MS = 2000;

const cpuMs: number[] = [];
const megabytes: number[] = [];
const withShell: number[] = [];
for (let count = 0; count < daemons; count += 1) {
  await using daemon = await BenchDaemon.start();
  await sleep(SETTLE_MS);
  cpuMs.push(cpuSecondsOf(daemon.pid) * 1000);
  megabytes.push(residentKibOf(daemon.pid) / 1024);
  await daemon.client.call("sessions.create", { command: ["bash"] });
  await sleep(SETTLE_MS);
  withShell.push(residentKibOf(daemon.pid) / 1024);
}
tellFigure({ name: "daemon's start", value: median(cpuMs), unit: "ms of a processor", better: "less", goal: 350 });
tellFigure({ name: "daemon without sessions", value: median(megabytes), unit: "MB", better: "less", goal: 90 });
tellFigure({ name: "daemon with one shell", value: median(withShell), unit: "MB", better: "less", goal: 110 });

/** Milliseconds of a processor that one run takes, of `commands` runs. */
function commandMs(words: readonly string[], home?: string): number {
  const script = 'for ((run = 0; run < $0; run++)); do "$@" >/dev/null; done; times';
  const options = { encoding: "utf8", env: { ...process.env, LECTERN_HOME: home } } as const;
  const told = execFileSync("bash", ["-c", script, String(commands), process.execPath, ...words], options);
  // The last line is that of the children: `0m1.234s 0m0.567s`.
  const [user = Number.NaN, system = Number.NaN] = [
    ...told
      .trim()
      .split("\n")
      .at(-1)!
      .matchAll(/(\d+)m([\d.]+)s/g),
  ].map(([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds));
  return ((user + system) * 1000) / commands;
}

await using running = await BenchDaemon.start();
const home = running.paths.dataDirectory;
for (const [word, goal] of [
  ["ls", 25],
  ["--version", 12],
] as const) {
  const samples = Array.from({ length: 3 }, () => commandMs([launcher, word], home) - commandMs(["-e", "0"]));
  const name = `lectern ${word}, over node -e 0`;
  tellFigure({ name, value: median(samples), unit: "ms of a processor", better: "less", goal });
}
