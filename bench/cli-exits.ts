/**
 * Whether a command ends by itself, also at its last step, where Node once in a while stands still. `hung` and `wrong` must be 0.
 *
 *   nice node bench/cli-exits.ts [runs=2000] [parallel=3]
 *
 * Half of the runs is `lectern version` (no daemon), half is `lectern ls --json` (a socket, and a daemon beside it); one in 40 exports or
 * checks a journal of 100 MB, which has code compiled while the process ends. Output goes to a pipe and to a file in turn, because Node writes to them in different ways. For a command that hangs, its threads and what they wait for are
 * printed before it is ended. One that only waits for a processor on a busy machine has not hung.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { CliHome } from "../test/e2e/cli-home.ts";

const WATCHDOG_MS = 20_000;
/** A command that used processor time in the last 20 s is waited for again, this often. */
const PERIODS_MAX = 10;
const launcher = resolve(import.meta.dirname, "../bin/lectern.mjs");
const runs = Number(process.argv[2] ?? 2_000);
const parallel = Number(process.argv[3] ?? 3);

const commands = [["version"], ["ls", "--json"]] as const;
const largeCommands = [
  ["export", "large", "--format", "raw"],
  ["check", "large"],
] as const;
const LARGE_EVERY = 40;
const LARGE_BYTES = 100_000_000;
const outputs = ["pipe", "file"] as const;

interface Count {
  runs: number;
  hung: number;
  wrong: number;
  msMax: number;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** What each thread and each descriptor of a process is (Linux). */
function portrait(pid: number): string {
  const base = `/proc/${pid}`;
  const threads = readdirSync(join(base, "task")).map((id) => {
    const at = join(base, "task", id);
    return `  thread ${id} ${readText(join(at, "comm"))}: ${readText(join(at, "wchan"))}, system call ${readText(join(at, "syscall"))}`;
  });
  const descriptors = readdirSync(join(base, "fd")).map((id) => {
    try {
      return `  descriptor ${id}: ${readlinkSync(join(base, "fd", id))}`;
    } catch {
      return `  descriptor ${id}: closed`;
    }
  });
  return [...threads, ...descriptors].join("\n");
}

/** Ticks of user and system time (`proc_pid_stat(5)`); undefined for a process that has ended. */
function processorTicks(pid: number): number | undefined {
  const fields = readText(`/proc/${pid}/stat`).split(") ")[1]?.split(" ");
  return fields === undefined ? undefined : Number(fields[11]) + Number(fields[12]);
}

await using home = new CliHome();
await home.run(["run", "--detach", "--name", "one", "--", "cat"]);
await home.run(["run", "--detach", "--name", "large", "--", "sh", "-c", `yes | head -c ${LARGE_BYTES}`]);
await home.run(["wait", "large", "--for", "exit", "--timeout", "10m"]);
const counts = new Map<string, Count>();

async function runOnce(index: number): Promise<void> {
  const isLarge = index % LARGE_EVERY === LARGE_EVERY - 1;
  const list = isLarge ? largeCommands : commands;
  const words = list[Math.floor(index / (isLarge ? LARGE_EVERY : 1)) % list.length] ?? list[0];
  const output = outputs[Math.floor(index / commands.length) % outputs.length] ?? "pipe";
  const name = `${words.join(" ")} to a ${output}`;
  const count = counts.get(name) ?? { runs: 0, hung: 0, wrong: 0, msMax: 0 };
  counts.set(name, count);
  const file = output === "file" ? openSync("/dev/null", "w") : undefined;
  const startMs = performance.now();
  const child = spawn(process.execPath, [launcher, ...words], {
    env: home.environment,
    stdio: ["ignore", file ?? "pipe", "pipe"],
  });
  if (file !== undefined) closeSync(file);
  child.stdout?.resume();
  child.stderr?.resume();
  const pid = child.pid ?? 0;
  let ticks: number | undefined = 0;
  let periods = 0;
  const watchdog = setInterval(() => {
    const before = ticks;
    ticks = processorTicks(pid);
    if (ticks === undefined || (ticks !== before && ++periods < PERIODS_MAX)) return;
    count.hung += 1;
    console.log(`hung: ${name}, run ${index}\n${portrait(pid)}`);
    child.kill("SIGKILL");
  }, WATCHDOG_MS);
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  clearInterval(watchdog);
  count.runs += 1;
  count.msMax = Math.max(count.msMax, Math.round(performance.now() - startMs));
  if (code !== 0 && signal !== "SIGKILL") {
    count.wrong += 1;
    console.log(`wrong: ${name}, run ${index}: exit code ${code}, signal ${signal}`);
  }
}

let next = 0;
const worker = async (): Promise<void> => {
  while (next < runs) await runOnce(next++);
};
await Promise.all(Array.from({ length: parallel }, worker));

for (const [name, { runs: done, hung, wrong, msMax }] of counts) {
  console.log(`${name.padEnd(24)} ${done} runs  hung ${hung}  wrong ${wrong}  slowest ${msMax} ms`);
}
process.exitCode = [...counts.values()].some(({ hung, wrong }) => hung + wrong > 0) ? 1 : 0;
