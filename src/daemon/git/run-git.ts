/**
 * Runs git by its command line, with limits, in an environment of its own. Nothing that a repository or an agent has written may run because
 * of it: no hook, filter, external diff, file system monitor or transport, but that of a push (docs/decisions/tasks.md).
 */
import { spawn } from "node:child_process";
import { LecternError } from "../../core/errors.ts";
import { Slots } from "../async/slots.ts";

/** Longer output is cut, which the result says. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const ERROR_BYTES_MAX = 16 * 1024;
const RUN_MS_MAX = 30_000;
/** Programs of git at once; more wait. */
const RUNNING_MAX = 4;

export interface GitRun {
  readonly workingDirectory: string;
  /** Beside those that every run has. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** As the person would run it in a terminal, with hooks, filters and settings. Only if a person has asked for it. */
  readonly asPerson?: boolean;
  readonly bytesMax?: number;
  readonly msMax?: number;
}

interface GitResult {
  readonly code: number;
  readonly text: string;
  /** The output was longer than its limit. */
  readonly isCut: boolean;
  readonly problem: string;
}

/** Over the configuration of a repository, where it has to be read. */
const overrides = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.untrackedCache=false",
  "core.quotePath=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.allow=never",
  "submodule.recurse=false",
  "commit.gpgSign=false",
].flatMap((setting) => ["-c", setting]);

/** A clean environment: no `GIT_*` of the daemon, no configuration of the system or a user. */
const baseEnvironment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  HOME: process.env["HOME"] ?? "/",
  LC_ALL: "C",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
});

/** For reading the settings of the user: no command that runs with it looks at files of a worktree. */
export const userSettings: Readonly<Record<string, string | undefined>> = {
  XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"],
  GIT_CONFIG_GLOBAL: undefined,
  GIT_CONFIG_NOSYSTEM: undefined,
};

const personEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));

const slots = new Slots(RUNNING_MAX);

/** Throws `NOT_AVAILABLE` without git, and `LIMIT_EXCEEDED` after `msMax`. Any exit code is a result. */
export const tryGit = async (words: readonly string[], run: GitRun): Promise<GitResult> =>
  await slots.run(async () => await spawnGit(words, run));

/** As `tryGit`; an exit code other than 0 throws `CONFLICT` with what git reports. Returns the output. */
export async function git(words: readonly string[], run: GitRun): Promise<string> {
  const { code, text, problem } = await tryGit(words, run);
  if (code === 0) return text;
  throw gitFailed(words, problem);
}

export function gitFailed(words: readonly string[], problem: string): LecternError {
  const reported = problem.trim().replace(/^(?:fatal|error): /, "");
  const isFull = /No space left on device|Disk quota exceeded/.test(reported);
  const next = isFull ? "; the disk is full: make room and try again" : "";
  return new LecternError(
    isFull ? "JOURNAL_WRITE_FAILED" : "CONFLICT",
    `Cannot run "git ${words.find((word) => !word.startsWith("-")) ?? ""}": ${reported === "" ? "it failed without a reason" : reported}${next}`,
  );
}

function spawnGit(words: readonly string[], run: GitRun): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const { input, bytesMax = OUTPUT_BYTES_MAX, msMax = RUN_MS_MAX } = run;
  const isOwn = run.asPerson !== true;
  const child = spawn("git", isOwn ? [...overrides, ...words] : words, {
    cwd: run.workingDirectory,
    env: { ...(isOwn ? baseEnvironment() : personEnvironment()), ...run.environment },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    // A group of its own, so that nothing it has started outlives its limit.
    detached: true,
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const output = new Limited(bytesMax, end);
  const problem = new Limited(ERROR_BYTES_MAX);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, msMax);
  child.stdout?.on("data", (chunk: Buffer) => output.add(chunk));
  child.stderr?.on("data", (chunk: Buffer) => problem.add(chunk));
  // It may end before it has read everything.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  child.on("error", (error: NodeJS.ErrnoException) => {
    clearTimeout(timer);
    reject(error.code === "ENOENT" ? noGit(run, error) : error);
  });
  child.on("close", (code) => {
    clearTimeout(timer);
    if (isLate) reject(tooLong(words, msMax));
    else
      resolve({ code: output.isCut ? 0 : (code ?? 1), text: output.text, isCut: output.isCut, problem: problem.text });
  });
  return promise;
}

/** The beginning of an output. */
class Limited {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  readonly #onFull: (() => void) | undefined;
  #bytes = 0;
  isCut = false;

  constructor(bytesMax: number, onFull?: () => void) {
    this.#bytesMax = bytesMax;
    this.#onFull = onFull;
  }

  add(chunk: Buffer): void {
    const room = this.#bytesMax - this.#bytes;
    if (chunk.length > room) {
      if (!this.isCut) this.#onFull?.();
      this.isCut = true;
    }
    if (room <= 0) return;
    this.#chunks.push(chunk.subarray(0, room));
    this.#bytes += Math.min(room, chunk.length);
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

/** A working directory that does not exist gives the same error. */
const noGit = ({ workingDirectory }: GitRun, cause: Error): LecternError =>
  new LecternError(
    "NOT_AVAILABLE",
    `Cannot run git in "${workingDirectory}": the program "git" or that directory does not exist; install git, or leave the worktree out`,
    { cause },
  );

const tooLong = (words: readonly string[], msMax: number): LecternError =>
  new LecternError(
    "LIMIT_EXCEEDED",
    `Timed out after ${msMax / 1000} s running "git ${words[0] ?? ""}": use git in the worktree itself`,
    { details: { msMax } },
  );
