/** Runs one job to its end and reads its results. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { relative } from "node:path";
import type { ResultLine } from "./events.ts";
import { root, type Job } from "./jobs.ts";

/** A job that is not over then is ended: its tests have limits of their own, which are shorter. */
const JOB_MS_MAX = 3_600_000;
const OUTPUT_CHARS_MAX = 2_000_000;
const TEST_MS_MAX = 180_000;
/** A process whose tests have told nothing for so much longer than one test may take blocks itself: then its own limits cannot end it either. */
const SILENT_MS_MAX = 120_000;
const SILENCE_LOOK_MS = 1000;

/** `node:test` ends with its counts as notes. */
const COUNT = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

export interface JobResult {
  readonly job: Job;
  readonly passed: number;
  readonly failed: readonly Failure[];
  readonly skipped: readonly Skip[];
  /** What the process printed. */
  readonly output: string;
  readonly seconds: number;
}

export interface Failure {
  readonly name: string;
  readonly text: string;
}

export interface Skip {
  readonly file: string;
  readonly name: string;
  readonly why: string;
}

export interface JobOptions {
  /** Where the results are written. */
  readonly resultsFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly testMsMax?: number;
  /** How long no test may tell its end. Default: 2 minutes more than one may take. */
  readonly silentMsMax?: number;
  readonly onStart: (child: ChildProcess) => void;
}

/** Resolves when the process has ended, whatever its result. */
export async function runJob(job: Job, options: JobOptions): Promise<JobResult> {
  const startMs = performance.now();
  const { silentMsMax = (options.testMsMax ?? TEST_MS_MAX) + SILENT_MS_MAX } = options;
  const limits = { silentMsMax: job.command === undefined ? silentMsMax : JOB_MS_MAX };
  const { end, output } = await runProcess(wordsOf(job, options), { ...options, ...limits });
  const seconds = (performance.now() - startMs) / 1000;
  if (job.command !== undefined) {
    const failed = end === "0" ? [] : [{ name: job.name, text: `It ended with ${end}` }];
    return { job, passed: 1 - failed.length, failed, skipped: [], output, seconds };
  }
  return { ...resultsOf(job, end, readLines(options.resultsFile)), output, seconds };
}

function wordsOf(job: Job, { resultsFile, testMsMax = TEST_MS_MAX }: JobOptions): readonly string[] {
  if (job.command !== undefined) return job.command;
  const [first = "", ...more] = job.files;
  return [
    process.execPath,
    "--import=./test/support/preload.mjs",
    `--test-timeout=${testMsMax}`,
    "--test-reporter=./test/runner/events.ts",
    `--test-reporter-destination=${resultsFile}`,
    ...(job.skipped ?? []).map((name) => `--test-skip-pattern=/^${RegExp.escape(name)}$/`),
    ...(more.length === 0 ? [first] : ["test/runner/several-files.ts", first, ...more]),
  ];
}

async function runProcess(
  [program = "", ...words]: readonly string[],
  { environment, onStart, resultsFile, silentMsMax }: JobOptions & { readonly silentMsMax: number },
): Promise<{ readonly end: string; readonly output: string }> {
  const child = spawn(program, words, { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  onStart(child);
  let output = "";
  let leftOut = 0;
  const take = (chunk: string): void => {
    output += chunk;
    const tooMany = Math.max(0, output.length - OUTPUT_CHARS_MAX);
    leftOut += tooMany;
    output = output.slice(tooMany);
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  const timer = setTimeout(() => child.kill("SIGKILL"), JOB_MS_MAX);
  const silence = watchSilence(resultsFile, silentMsMax, () => child.kill("SIGKILL"));
  const { promise, resolve } = Promise.withResolvers<string>();
  child.on("error", (error) => resolve(error.message));
  // Not "close": a daemon that a test has left behind keeps the pipes open.
  child.on("exit", (code, name) => setImmediate(() => resolve(name ?? String(code))));
  const end = await promise;
  clearTimeout(timer);
  clearInterval(silence);
  child.stdout.destroy();
  child.stderr.destroy();
  return { end, output: leftOut === 0 ? output : `[${leftOut} characters left out]\n${output}` };
}

/** Calls `onSilent` once the file of results has not grown for so long. */
function watchSilence(file: string, msMax: number, onSilent: () => void): NodeJS.Timeout {
  let [bytes, sinceMs] = [-1, performance.now()];
  return setInterval(() => {
    const now = existsSync(file) ? statSync(file).size : 0;
    if (now !== bytes) [bytes, sinceMs] = [now, performance.now()];
    else if (performance.now() - sinceMs > msMax) onSilent();
  }, SILENCE_LOOK_MS);
}

function readLines(file: string): ResultLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  rmSync(file);
  // The last line of a process that was killed may be cut.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as ResultLine);
}

function resultsOf(job: Job, end: string, lines: readonly ResultLine[]): Omit<JobResult, "output" | "seconds"> {
  const notes = lines.flatMap((line) => (line.type === "note" && !COUNT.test(line.text) ? [line.text] : []));
  const all = lines.filter((line) => line.type !== "note" && line.type !== "end");
  // A suite fails by itself if one of its hooks does.
  const tests = all.filter(({ isSuite, text, type }) => !isSuite || (type === "fail" && text !== ""));
  const failed: Failure[] = tests
    .filter(({ type }) => type === "fail")
    .map(({ name, place, text }) => ({ name: `${relative(root, place)} ${name}`, text }));
  const fail = (text: string): void => void failed.push({ name: job.name, text: [text, ...notes].join("\n") });
  if (end !== "0" && failed.length === 0) fail(`Its process ended with ${end}`);
  else if (!lines.some(({ type }) => type === "end")) fail("Its process ended before all of its tests");
  else if (tests.length === 0) fail("It has no test");
  const skipped = tests
    .filter(({ type }) => type === "skip")
    .map(({ name, place, text }) => ({ file: relative(root, place).replace(/:\d+$/, ""), name, why: text }));
  return { job, passed: tests.filter(({ type }) => type === "pass").length, failed, skipped };
}
