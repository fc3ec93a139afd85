/**
 * A flood through the whole path: pty, host, journal, daemon, an attached client. Against a C program that only reads the pty,
 * script(1), tmux pipe-pane and asciinema rec, which record to a file. Rounds are interleaved, the table shows medians.
 *
 *   node bench/throughput.ts [megabytes=100] [rounds=5]
 */
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "./support/compile.ts";
import { interleaved, median } from "./support/statistics.ts";
import { BenchDaemon, cpuSecondsOf } from "./support/daemon.ts";
import { tellFigure } from "./support/figure.ts";

const megabytes = process.argv[2] ?? "100";
const rounds = Number(process.argv[3] ?? 5);
const flood = compile("flood");
const reader = compile("reader");
const recording = join(tmpdir(), `lectern-bench-${process.pid}.rec`);
const socket = `lectern-bench-${process.pid}`;
process.on("exit", () => rmSync(recording, { force: true }));

interface Result {
  readonly seconds: number;
  /** Without the program itself. NaN where it cannot be told apart. */
  readonly cpuSeconds: number;
}

await using daemon = await BenchDaemon.start();
const { client } = daemon;

function inC(kind: string): Result {
  const [, seconds = 0, cpuSeconds = 0] = execFileSync(reader, ["default", flood, kind, megabytes], {
    encoding: "utf8",
  })
    .split(" ")
    .map(Number);
  return { seconds, cpuSeconds };
}

async function inLectern(kind: string, attached: boolean): Promise<Result> {
  const pids = [daemon.pid, ...(await daemon.hostPids())];
  const cpu = (): number =>
    pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0) +
    (attached ? process.cpuUsage().user + process.cpuUsage().system : 0) / 1e6;
  const cpuBefore = cpu();
  const start = performance.now();
  const { id } = await client.call("sessions.create", { command: [flood, kind, megabytes] });
  const exit = client.call("sessions.wait", { session: id, for: { type: "exit" }, timeoutMs: 600_000 });
  if (attached) await readToExit(id);
  const { session } = await exit;
  const seconds = (performance.now() - start) / 1000;
  const cpuSeconds = cpu() - cpuBefore;
  if (session.exit?.code !== 0) throw new Error("the flood failed");
  await client.call("sessions.remove", { session: id });
  return { seconds, cpuSeconds };
}

async function readToExit(session: string): Promise<void> {
  await using attachment = await client.attach(session, { from: 0, readOnly: true, lossless: true });
  let bytes = 0;
  for await (const item of attachment) if (item.type === "output") bytes += item.bytes.length;
  if (bytes < Number(megabytes) * 1e6) throw new Error(`only ${bytes} bytes came`);
}

function timed(run: () => void): Result {
  const start = performance.now();
  run();
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: Number.NaN };
}

function inScript(kind: string): Result {
  return timed(() =>
    spawnSync("script", ["-q", "-c", `${flood} ${kind} ${megabytes}`, recording], { stdio: "ignore" }),
  );
}

function inAsciinema(kind: string): Result {
  const command = `${flood} ${kind} ${megabytes}`;
  return timed(() =>
    spawnSync("asciinema", ["rec", "-q", "--overwrite", "--cols", "80", "--rows", "24", "-c", command, recording], {
      stdio: "ignore",
      env: { ...process.env, ASCIINEMA_API_URL: "http://127.0.0.1:9" },
    }),
  );
}

/** The pane waits until the pipe is there, and the time runs from then until the file holds everything. */
function inTmux(kind: string): Result {
  const tmux = (...parameters: string[]): void =>
    void execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...parameters]);
  rmSync(recording, { force: true });
  tmux(
    "new-session",
    "-d",
    "-x",
    "80",
    "-y",
    "24",
    `tmux -L ${socket} wait-for go; ${flood} ${kind} ${megabytes}; tmux -L ${socket} wait-for -S done; sleep 60`,
  );
  tmux("pipe-pane", "-O", `exec cat > ${recording}`);
  const result = timed(() => {
    tmux("wait-for", "-S", "go");
    tmux("wait-for", "done");
    while (statSync(recording).size < Number(megabytes) * 1e6) spawnSync("sleep", ["0.01"]);
  });
  tmux("kill-server");
  return result;
}

const hasAsciinema = spawnSync("asciinema", ["--version"]).status === 0;
if (!hasAsciinema) console.log("asciinema is not installed: not measured");

const ways: Readonly<Record<string, (kind: string) => Result | Promise<Result>>> = {
  "C reader": inC,
  "lectern, no client": (kind) => inLectern(kind, false),
  "lectern, one client": (kind) => inLectern(kind, true),
  "script(1)": inScript,
  "tmux pipe-pane": inTmux,
  ...(hasAsciinema ? { "asciinema rec": inAsciinema } : {}),
};

/** Of what the C reader reaches, in speed and processor time. */
const GOALS: Readonly<Record<string, { readonly speed: number; readonly cpu: number }>> = {
  "lectern, no client": { speed: 0.95, cpu: 2 },
  "lectern, one client": { speed: 0.85, cpu: 3 },
};

await inLectern("text", true);
for (const kind of ["text", "escapes"]) {
  const tasks = Object.entries(ways).map(([name, way]) => [name, () => way(kind)] as const);
  const results = await interleaved(rounds, Object.fromEntries(tasks));
  const speedOf = (name: string): number =>
    median(results.get(name)!.map(({ seconds }) => Number(megabytes) / seconds));
  const cpuOf = (name: string): number =>
    median(results.get(name)!.map(({ cpuSeconds }) => (cpuSeconds / Number(megabytes)) * 1000));
  for (const name of results.keys()) {
    const cpu = cpuOf(name);
    const speed = speedOf(name);
    console.log(
      `${kind.padEnd(8)} ${name.padEnd(20)} ${speed.toFixed(1).padStart(7)} MB/s  ${(speed / speedOf("C reader")).toFixed(2)} x C  ${Number.isNaN(cpu) ? "      " : cpu.toFixed(1).padStart(6)} CPU s/GB`,
    );
    const goals = GOALS[name];
    if (goals === undefined) continue;
    const value = speed / speedOf("C reader");
    tellFigure({ name: `flood of ${kind}, ${name}`, value, unit: "x C", better: "more", goal: goals.speed });
    const ratio = cpu / cpuOf("C reader");
    const cpuName = `flood of ${kind}, ${name}, processor time`;
    tellFigure({ name: cpuName, value: ratio, unit: "x C", better: "less", goal: goals.cpu });
  }
}
