/** Runs the test suite: `npm test -- --help`. */
import { execFileSync, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HELP, select, WrongArguments, type Selection } from "./arguments.ts";
import { Random } from "../simulation/random.ts";
import { runJob, type JobResult } from "./job-process.ts";
import { neededOf, root, type Job, type Stage } from "./jobs.ts";
import { markedProcesses, RUN_VARIABLE, signal } from "./marked-processes.ts";
import { runPool } from "./pool.ts";
import { Printer, sum, type NotRun } from "./print.ts";
import { missingPrograms } from "./programs.ts";
import { startStalls, type Stalls } from "./stalls.ts";

const exitCodes = { passed: 0, failed: 1, usage: 2, notRun: 3, interrupted: 130 } as const;
/** For a test that is interrupted to end its daemons. */
const END_MS_MAX = 10_000;
/** For what a test has left to end by itself. */
const LEFT_MS_MAX = 15_000;

class Run {
  readonly #id = randomUUID();
  readonly #directory = mkdtempSync(join(tmpdir(), "lt-"));
  readonly #printer = new Printer();
  readonly #interrupted = new AbortController();
  readonly #children = new Set<ChildProcess>();
  readonly #results: JobResult[] = [];
  readonly #startMs = new Map<string, number>();
  readonly #selection: Selection;
  readonly #stages: readonly Stage[];
  readonly #notRun: readonly NotRun[];

  constructor(selection: Selection) {
    this.#selection = selection;
    const { notRun, stages } = withoutWhatIsMissing(selection.stages);
    this.#stages = stages;
    this.#notRun = notRun;
  }

  async run(): Promise<number> {
    const startMs = performance.now();
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => void this.#interrupt());
    const { isStalling, seed, slots } = this.#selection;
    const stalls = isStalling ? startStalls(this.#id, new Random(seed)) : undefined;
    await runPool(this.#stages, {
      slots,
      signal: this.#interrupted.signal,
      run: (job, place) => this.#runJob(job, place),
    });
    await stalls?.end();
    const left = await this.#endLeft();
    rmSync(this.#directory, { recursive: true, force: true });
    this.#printer.end();
    return this.#report({ left, stalls, seconds: (performance.now() - startMs) / 1000 });
  }

  async #runJob(job: Job, place: number): Promise<void> {
    const stage = this.#stages.find(({ name }) => name === job.stage);
    if (stage === undefined) return;
    if (!this.#startMs.has(stage.name)) this.#startMs.set(stage.name, performance.now());
    // Shells of tests write to no history of the developer's.
    const own = { [RUN_VARIABLE]: this.#id, LECTERN_TEST_HOME: join(this.#directory, String(place)), HISTFILE: "" };
    const environment: NodeJS.ProcessEnv = { ...process.env, ...own, ...stage.environment };
    delete environment["NODE_TEST_CONTEXT"];
    let child: ChildProcess | undefined;
    const result = await runJob(job, {
      resultsFile: join(this.#directory, `${place}.jsonl`),
      environment,
      ...(stage.testMsMax !== undefined && { testMsMax: stage.testMsMax }),
      onStart: (started) => this.#children.add((child = started)),
    });
    if (child !== undefined) this.#children.delete(child);
    if (this.#interrupted.signal.aborted) return;
    this.#results.push(result);
    if (result.failed.length > 0) this.#printer.failure(result);
    const ofStage = this.#results.filter(({ job: { stage: name } }) => name === stage.name);
    if (ofStage.length === stage.jobs.length) {
      const seconds = (performance.now() - (this.#startMs.get(stage.name) ?? 0)) / 1000;
      this.#printer.stage(stage, ofStage, seconds);
    }
    const count = sum(this.#stages.map(({ jobs }) => jobs.length));
    this.#printer.progress(`${this.#results.length} of ${count} jobs, last: ${job.stage} ${job.name}`);
  }

  /** Tests end what they started when they get SIGTERM; the rest is killed. */
  async #interrupt(): Promise<void> {
    if (this.#interrupted.signal.aborted) return;
    this.#interrupted.abort();
    for (const child of this.#children) child.kill("SIGTERM");
    await delay(END_MS_MAX, undefined, { ref: false });
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** Ends what is still there of the run; returns the command lines of what did not end by itself. */
  async #endLeft(): Promise<string[]> {
    const { endSharedHome } = await import("../e2e/cli-home.ts");
    const homes = readdirSync(this.#directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of homes) await endSharedHome(join(this.#directory, name));
    const isInterrupted = this.#interrupted.signal.aborted;
    const deadline = performance.now() + (isInterrupted ? 0 : LEFT_MS_MAX);
    let left = markedProcesses(this.#id);
    for (; left.length > 0 && performance.now() < deadline; left = markedProcesses(this.#id)) await delay(100);
    for (; markedProcesses(this.#id).length > 0; await delay(20))
      for (const { pid } of markedProcesses(this.#id)) signal(pid, "SIGKILL");
    return isInterrupted ? [] : left.map(({ command, pid }) => `${pid} ${command}`);
  }

  #report(end: {
    readonly left: readonly string[];
    readonly stalls: Stalls | undefined;
    readonly seconds: number;
  }): number {
    const { left, seconds, stalls } = end;
    const skipped = this.#results.flatMap((result) => result.skipped);
    const passed = sum(this.#results.map((result) => result.passed));
    const failed = sum(this.#results.map((result) => result.failed.length)) + left.length;
    const printer = this.#printer;
    printer.slowest(this.#results);
    printer.skips(skipped);
    printer.notRun(this.#notRun);
    if (this.#notRun.length > 0)
      printer.line("What is missing can be installed: scripts/system-packages for programs, npm ci for Node");
    for (const line of left) printer.line(`Left running by a test, and killed: ${line}`);
    if (stalls !== undefined) {
      const counts = [...stalls.counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
      printer.line(`Stalled for 1 s, with --seed ${this.#selection.seed}: ${counts}`);
    }
    if (this.#interrupted.signal.aborted) {
      printer.line("Interrupted");
      return exitCodes.interrupted;
    }
    printer.line(`${seconds.toFixed(0)} s`);
    printer.line(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`);
    if (failed > 0) return exitCodes.failed;
    if (this.#notRun.length === 0) return exitCodes.passed;
    return process.env["CI"] === "true" ? exitCodes.failed : exitCodes.notRun;
  }
}

/** The stages that can run here, and what cannot with the reason. Installs missing programs first. */
function withoutWhatIsMissing(stages: readonly Stage[]): { stages: Stage[]; notRun: NotRun[] } {
  const notRun: NotRun[] = [];
  const node = Number(process.versions.node.split(".")[0]);
  const missing = stages.some(({ nodeMin }) => nodeMin !== undefined) ? installed() : missingPrograms();
  const runnable = (stage: Stage, job: Job): Job[] => {
    const files = job.files.filter((file) => {
      const programs = neededOf(file, missing);
      if (programs.length > 0) notRun.push({ stage: stage.name, what: file, why: `needs ${programs.join(", ")}` });
      return programs.length === 0;
    });
    return files.length === 0 && job.files.length > 0 ? [] : [{ ...job, files }];
  };
  const left = stages.map((stage) => {
    const isTooOld = node < (stage.nodeMin ?? 0);
    const why = `needs Node ${stage.nodeMin}, this is ${process.versions.node}`;
    if (isTooOld) notRun.push({ stage: stage.name, what: "all of it", why });
    return { ...stage, jobs: isTooOld ? [] : stage.jobs.flatMap((job) => runnable(stage, job)) };
  });
  return { stages: left.filter(({ jobs }) => jobs.length > 0), notRun };
}

/** Programs that are missing although they were to be installed. */
function installed(): string[] {
  if (missingPrograms().length === 0) return [];
  try {
    execFileSync("bash", [join(root, "scripts/system-packages")], { stdio: "inherit" });
  } catch {
    // It has printed why.
  }
  return missingPrograms();
}

function main(words: readonly string[]): Promise<number> | number {
  try {
    const selection = select(words);
    if (selection.isHelp) process.stdout.write(HELP);
    else if (!selection.isList) return new Run(selection).run();
    else
      for (const { jobs, name, summary } of selection.stages)
        process.stdout.write(`${name.padEnd(12)} ${String(jobs.length).padStart(4)} jobs  ${summary}\n`);
    return exitCodes.passed;
  } catch (error) {
    if (!(error instanceof WrongArguments)) throw error;
    process.stderr.write(`${error.message}\nSee: npm test -- --help\n`);
    return exitCodes.usage;
  }
}

process.exit(await main(process.argv.slice(2)));
