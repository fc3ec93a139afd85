/**
 * From a key to its echo: a bare pty in this process, the whole path (client, daemon, host, pty and back), the same while another
 * session floods (without and with a reader, in a process of its own), and a client of tmux. The program is `cat` on a terminal that
 * echoes. Samples are interleaved; each way is warm, as that of somebody who has typed for a while.
 *
 *   node bench/echo.ts [samples=500]
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanEnvironment } from "../src/pty/environment.ts";
import { spawnPty } from "../src/pty/spawn.ts";
import { compile } from "./support/compile.ts";
import { BenchDaemon } from "./support/daemon.ts";
import { tellFigure } from "./support/figure.ts";
import { interleaved, quantile } from "./support/statistics.ts";

const samples = Number(process.argv[2] ?? 500);
const flood = compile("flood");
const socket = `lectern-bench-${process.pid}`;
const WARM_SAMPLES = 1000;
const launcher = join(import.meta.dirname, "../bin/lectern.mjs");

/** Types one byte and resolves when something comes back. */
type Echo = () => Promise<void>;

/** A pty in this process: what nothing can be faster than. Also the way to be a client of tmux. */
function inPty(command: [string, ...string[]]): { echo: Echo; end: () => Promise<unknown> } {
  let heard = (): void => {};
  const pty = spawnPty({
    command,
    workingDirectory: "/",
    environment: cleanEnvironment(process.env),
    columns: 80,
    rows: 24,
    onOutput: () => heard(),
    onExit: () => {},
  });
  const echo = (): Promise<void> =>
    new Promise((resolve) => {
      heard = resolve;
      pty.write(Buffer.from("x"));
    });
  return { echo, end: () => pty.kill({ graceMs: 100 }) };
}

async function inLectern(daemon: BenchDaemon): Promise<Echo> {
  const { id } = await daemon.client.call("sessions.create", { command: ["cat"] });
  const attachment = await daemon.client.attach(id, {});
  let heard = (): void => {};
  void (async () => {
    for await (const item of attachment) if (item.type === "output") heard();
  })();
  return () =>
    new Promise((resolve) => {
      heard = resolve;
      void attachment.write(Buffer.from("x"));
    });
}

/** Microseconds of one echo. Lines are ended now and then, or the line discipline would be full. */
async function timed(echo: Echo): Promise<number> {
  const start = performance.now();
  await echo();
  const microseconds = (performance.now() - start) * 1000;
  await sleep(1);
  return microseconds;
}

const measure = (ways: Readonly<Record<string, Echo>>): Promise<Map<string, number[]>> =>
  interleaved(samples, Object.fromEntries(Object.entries(ways).map(([name, echo]) => [name, () => timed(echo)])));

/** Milliseconds that our ways may add, by name. */
const GOALS: Readonly<Record<string, Readonly<Record<"p50" | "p99", number>>>> = {
  lectern: { p50: 0.35, p99: 2 },
  "lectern, another session floods": { p50: 2, p99: 8 },
  "lectern, flood with a reader": { p50: 4, p99: 15 },
};

function show(results: ReadonlyMap<string, number[]>, base: string): void {
  const bare = results.get(base) ?? [];
  for (const [name, values] of results) {
    const p50 = quantile(values, 0.5);
    const p99 = quantile(values, 0.99);
    console.log(
      `${name.padEnd(34)} p50 ${p50.toFixed(0).padStart(6)} us  p99 ${p99.toFixed(0).padStart(6)} us   added p50 ${((p50 - quantile(bare, 0.5)) / 1000).toFixed(2)} ms  p99 ${((p99 - quantile(bare, 0.99)) / 1000).toFixed(2)} ms`,
    );
    for (const [place, goal] of Object.entries(GOALS[name] ?? {})) {
      const share = Number(place.slice(1)) / 100;
      const value = (quantile(values, share) - quantile(bare, share)) / 1000;
      tellFigure({ name: `echo, ${name}, added ${place}`, value, unit: "ms", better: "less", goal });
    }
  }
}

await using daemon = await BenchDaemon.start();
execFileSync("tmux", ["-L", socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "23", "cat"]);
const bare = inPty(["cat"]);
const tmux = inPty(["tmux", "-L", socket, "attach"]);
const lectern = await inLectern(daemon);
await sleep(1000);
for (const echo of [bare.echo, lectern, tmux.echo]) for (let warm = 0; warm < WARM_SAMPLES; warm++) await echo();
show(await measure({ "bare pty": bare.echo, lectern, "tmux attach": tmux.echo }), "bare pty");
const { id: flooding } = await daemon.client.call("sessions.create", { command: [flood, "text", "1000000"] });
await sleep(500);
show(
  await measure({ "bare pty, a session floods": bare.echo, "lectern, another session floods": lectern }),
  "bare pty, a session floods",
);
// It attaches to a terminal only; what is written on this one nobody reads.
const reader = spawn(
  "script",
  ["-qfc", `${process.execPath} ${launcher} attach --read-only ${flooding}`, "/dev/null"],
  {
    stdio: ["pipe", "ignore", "inherit"],
    env: { ...process.env, LECTERN_HOME: daemon.paths.dataDirectory },
  },
);
await sleep(500);
show(
  await measure({ "bare pty, flood with a reader": bare.echo, "lectern, flood with a reader": lectern }),
  "bare pty, flood with a reader",
);
const readerEnds = once(reader, "exit");
await daemon.client.call("sessions.kill", { session: flooding });
await readerEnds;
await bare.end();
await tmux.end();
execFileSync("tmux", ["-L", socket, "kill-server"]);
