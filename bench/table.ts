/**
 * `npm run bench`: the benches of every path with a goal, in one table. Each round runs each bench in a checkout of the kept commit and
 * here, in turns, with the same measuring code (the `bench/` of here), so that the machine's noise affects both alike; the daemons start
 * from bundles, as users have them. Ends with 1 if a figure is worse than at the kept commit (see `compareRounds`).
 *
 *   npm run bench -- --help
 */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareRounds, type Round, type Row, WORSE_SHARE_MAX } from "./support/compare-rounds.ts";
import { shown, type Figure } from "./support/figure.ts";

/** A bench that hangs is ended. */
const BENCH_MS_MAX = 900_000;
const ARCHIVE_BYTES_MAX = 1024 ** 3;

/** With arguments that keep a round short: the rounds are repeated here. */
const benches: readonly (readonly [name: string, ...words: string[]])[] = [
  ["sse", "3"],
  ["json", "3"],
  ["wire", "speed", "3"],
  ["gate"],
  ["views"],
  ["start"],
  ["throughput", "50", "1"],
  ["echo", "300"],
  ["terminal", "1", "3"],
  ["gateway", "first", "events"],
];

const help = `Usage: npm run bench -- [NAME...] [options]

Runs the benches with a goal here and at the kept commit, in interleaved rounds, and prints one table.
Benches: ${benches.map(([name]) => name).join(", ")}; all of them take about 10 minutes a round.

  --rounds N        rounds, of which the table shows medians; default 5
  --against COMMIT  compare with COMMIT; default: the commit of bench/kept.json
  --alone           measure this checkout only
  --keep            write bench/kept.json: this commit and its figures
  --json            the rows as JSON
`;

interface Kept {
  readonly commit: string;
  readonly machine: string;
  /** By name: the value, in the unit of its figure. */
  readonly figures: Readonly<Record<string, number>>;
}

const root = join(import.meta.dirname, "..");
const keptFile = join(import.meta.dirname, "kept.json");
const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} processors, Node ${process.versions.node}`;
const git = (...words: string[]): string => execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();

const { values, positionals } = readArguments();
if (values.help) console.log(help);
else await main();

function readArguments(): {
  readonly values: {
    readonly rounds: string;
    readonly against?: string;
    readonly alone: boolean;
    readonly keep: boolean;
    readonly json: boolean;
    readonly help: boolean;
  };
  readonly positionals: readonly string[];
} {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string", default: "5" },
        against: { type: "string" },
        alone: { type: "boolean", default: false },
        keep: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(problem: string): never {
  console.error(`bench: ${problem}; see "npm run bench -- --help"`);
  process.exit(2);
}

async function main(): Promise<void> {
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) refuse(`--rounds must be a number from 1, not "${values.rounds}"`);
  const unknown = positionals.find((name) => !benches.some(([known]) => known === name));
  if (unknown !== undefined) refuse(`There is no bench "${unknown}"`);
  if (values.keep && git("status", "--porcelain") !== "")
    refuse("--keep needs a checkout without changes: commit them");
  const chosen = benches.filter(([name]) => positionals.length === 0 || positionals.includes(name));
  const kept = JSON.parse(readFileSync(keptFile, "utf8")) as Kept;
  const commit = values.alone ? undefined : (values.against ?? kept.commit);
  const places = { now: prepare(root), before: commit === undefined ? undefined : prepare(checkoutOf(commit)) };

  const now: Round[] = [];
  const before: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const figures = { now: new Map<string, Figure>(), before: new Map<string, Figure>() };
    for (const [index, [name, ...words]] of chosen.entries()) {
      const sides = ["now", "before"] as const;
      for (const side of (round + index) % 2 === 0 ? sides : sides.toReversed()) {
        const place = places[side];
        if (place === undefined) continue;
        if (process.stderr.isTTY) process.stderr.write(`\r\u001B[Kround ${round + 1} of ${rounds}: ${name}, ${side}`);
        for (const figure of await run(place, name, words)) figures[side].set(figure.name, figure);
      }
    }
    now.push(figures.now);
    before.push(figures.before);
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");

  const rows = compareRounds(now, before);
  if (values.json) console.log(JSON.stringify({ machine, against: commit, rows }, undefined, 2));
  else print(rows, commit, kept);
  if (values.keep) keep(rows, kept);
  if (rows.some(({ isWorse }) => isWorse)) process.exitCode = 1;
}

interface Place {
  readonly directory: string;
  readonly launcher: string;
}

/** The sources of a commit, measured with the benches of here. */
function checkoutOf(commit: string): string {
  let hash = "";
  try {
    hash = git("rev-parse", "--verify", `${commit}^{commit}`);
  } catch {
    refuse(`This clone has no commit "${commit}": fetch it, or use --against or --alone`);
  }
  // Not in this clone: Node strips no types in a file below a node_modules, and tests of here would be found twice.
  const directory = mkdtempSync(join(tmpdir(), "lectern-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const archive = execFileSync("git", ["archive", hash], { cwd: root, maxBuffer: ARCHIVE_BYTES_MAX });
  execFileSync("tar", ["-x", "-C", directory], { input: archive });
  const lock = (place: string): string => readFileSync(join(place, "package-lock.json"), "utf8");
  if (lock(root) === lock(directory)) symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  else {
    execFileSync("npm", ["ci", "--silent"], { cwd: directory });
    execFileSync(process.execPath, ["scripts/development-packages.mjs"], { cwd: directory });
  }
  rmSync(join(directory, "bench"), { recursive: true });
  cpSync(import.meta.dirname, join(directory, "bench"), { recursive: true });
  return directory;
}

/** Builds its bundle. */
function prepare(directory: string): Place {
  const bundle = join(directory, directory === root ? "node_modules/.cache/lectern-test-package" : "test-package");
  execFileSync(process.execPath, ["scripts/build-test-package.ts", bundle], { cwd: directory, stdio: "inherit" });
  return { directory, launcher: join(bundle, "bin/lectern.mjs") };
}

/** The figures of one run. A bench that fails tells why, and its figures are missing in this round. */
async function run({ directory, launcher }: Place, name: string, words: readonly string[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  let said = "";
  const bench = fork(join(directory, "bench", `${name}.ts`), words, {
    cwd: directory,
    execArgv: [],
    env: { ...process.env, LECTERN_BENCH_LAUNCHER: launcher },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    timeout: BENCH_MS_MAX,
    killSignal: "SIGKILL",
  });
  for (const stream of [bench.stdout, bench.stderr])
    stream?.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4096)));
  bench.on("message", ({ figure }: { readonly figure: Figure }) => figures.push(figure));
  const [code, signal] = (await once(bench, "close")) as [number | null, NodeJS.Signals | null];
  if (code === 0 && figures.length > 0) return figures;
  console.error(`bench: ${name} in ${directory} ended with ${signal ?? code}:\n${said.trim()}`);
  if (directory === root) process.exitCode = 1;
  return figures;
}

function print(rows: readonly Row[], commit: string | undefined, kept: Kept): void {
  const against = commit?.slice(0, 8) ?? "";
  const cells = rows.map((row) => [
    row.figure.name,
    `${shown(row.now)} ${row.figure.unit}`,
    Number.isNaN(row.before) ? "-" : shown(row.before),
    Number.isNaN(row.ratio) ? "-" : `${row.ratio.toFixed(2)} x`,
    row.figure.goal === undefined ? "-" : `${row.figure.better === "less" ? "<=" : ">="} ${row.figure.goal}`,
    kept.figures[row.figure.name] === undefined ? "-" : shown(kept.figures[row.figure.name]!),
    [row.isWorse ? "WORSE" : "", row.meetsGoal ? "" : "short"].filter(Boolean).join(", "),
  ]);
  const all = [["figure", "now", against || "before", "as good", "goal", "kept", ""], ...cells];
  const widths = all[0]!.map((__, column) => Math.max(...all.map((line) => line[column]!.length)));
  for (const line of all)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    );
  const worse = rows.filter(({ isWorse }) => isWorse).length;
  const short = rows.filter(({ meetsGoal }) => !meetsGoal).length;
  console.log(
    `\n${rows.length} figures, ${short} short of their goal, ${worse} worse by more than ${WORSE_SHARE_MAX * 100} %` +
      (kept.machine === machine ? "" : `; kept on another machine: ${kept.machine || "none"}`),
  );
}

function keep(rows: readonly Row[], { figures }: Kept): void {
  const measured = Object.fromEntries(rows.map(({ figure, now }) => [figure.name, Number(shown(now))]));
  const next: Kept = { commit: git("rev-parse", "HEAD"), machine, figures: { ...figures, ...measured } };
  writeFileSync(keptFile, `${JSON.stringify(next, undefined, 2)}\n`);
}
