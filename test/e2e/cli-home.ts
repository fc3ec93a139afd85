/** The `lectern` command against a daemon of its own, in a home of its own, with all of it gone at the end. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { after } from "node:test";
import { daemonStart, noteEnd, stopDaemon } from "../../src/daemon/daemon-process.ts";
import { launchDaemon } from "../../src/host/launch-daemon.ts";
import { ensurePrivateDirectory } from "../../src/host/private-directory.ts";
import { runProgram } from "../../src/cli/program.ts";
import { LecternClient } from "../../src/client/client.ts";
import { unixTransport } from "../../src/client/unix-transport.ts";
import { readDaemonFile } from "../../src/daemon/daemon-file.ts";
import { lecternPaths, type LecternPaths } from "../../src/daemon/paths.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { cleanEnvironment } from "../../src/pty/environment.ts";
import { isRunning } from "../../src/pty/proc-files.ts";
import { PtyRun } from "../pty-run.ts";
import { removeAfterTest, watch } from "../support/evidence.ts";
import { makeFishHome } from "../support/fish-home.ts";
import { launcher, lecternCommand } from "../support/launcher.ts";
import { ended, started } from "../support/leftovers.ts";
import { until } from "../support/until.ts";

const GONE_MS_MAX = 60_000;
/** A daemon that takes longer for an answer hangs. */
const HEALTHY_MS_MAX = 30_000;
/** A directory that the test runner keeps for the files that it runs one after the other, so that they share one daemon. */
const lastingDirectory = process.env["LECTERN_TEST_HOME"];
/** Commands that serve, take over a terminal, or start programs with the environment of their own process. */
const needProcess: ReadonlySet<string> = new Set([
  "agents",
  "attach",
  "cluster",
  "doctor",
  "hosts",
  "import",
  "mcp",
  "open",
  "replay",
  "service",
  "up",
]);
/** Commands that start a daemon where none runs, whatever is there. */
const startingCommands: ReadonlySet<string> = new Set(["exec", "logs", "run", "send", "wait"]);
const POLL_MS = 20;

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the command when it is aborted; then the promise rejects. */
  readonly signal?: AbortSignal;
}

export class CliHome implements AsyncDisposable {
  /** Ids of those that all tests of a file use. */
  readonly lastingTokens = new Set<string>();
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly paths: LecternPaths;
  readonly client: LecternClient;
  readonly #terminals: PtyRun[] = [];

  /** `variables` say where Lectern keeps its files, by default in one directory. */
  constructor(
    variables = (directory: string): Readonly<Record<string, string>> => ({ LECTERN_HOME: join(directory, "home") }),
    directory = mkdtempSync(join(tmpdir(), "lct-")),
  ) {
    this.directory = directory;
    const {
      LECTERN_HOME: _,
      LECTERN_TEST_HOME: __,
      XDG_RUNTIME_DIR: ___,
      XDG_DATA_HOME: ____,
      ...clean
    } = cleanEnvironment(process.env);
    // Programs of a test stand in "bin".
    const path = `${join(this.directory, "bin")}:${clean["PATH"]}`;
    this.environment = { ...clean, ...variables(this.directory), NO_COLOR: "1", PS1: "$ ", PATH: path };
    this.paths = lecternPaths(this.environment);
    this.client = new LecternClient(unixTransport(this.paths.daemonSocket));
    started(this);
    watch(this);
  }

  /**
   * Runs a command to its end, without a terminal. In the process of the test, which takes a tenth of the time; where no daemon runs, after one was
   * started as the command would. A command that is to say why none can be started gets a process.
   */
  async run(words: readonly string[], options: RunOptions = {}): Promise<Result> {
    // The daemon reads the environment of the process that calls it.
    const isPlain = options.env === undefined && options.signal === undefined;
    const needsProcess = !isPlain || needProcess.has(words[0] ?? "");
    const runsHere = !needsProcess && ((await this.info()) !== undefined || (await this.#startFor(words)));
    return runsHere ? this.#runHere(words, options) : this.spawn(words, options);
  }

  /** Whether a daemon was started, which is one less process than the command would be. For a session on a host it starts none here. */
  async #startFor(words: readonly string[]): Promise<boolean> {
    const startsOne = startingCommands.has(words[0] ?? "") && !existsSync(this.paths.hostsFile);
    if (!startsOne || readDaemonFile(this.paths) !== undefined) return false;
    return await this.startDaemon("--no-tcp", "--started-by=client").then(
      () => true,
      () => false,
    );
  }

  /** Starts the daemon with these options of `lectern up`, without the process of a command. Rejects with the reason if it cannot start. */
  async startDaemon(...options: readonly string[]): Promise<void> {
    ensurePrivateDirectory(this.paths.dataDirectory);
    const { command, ...start } = daemonStart(this.paths, this.environment, options, []);
    await launchDaemon({ ...start, command: [command[0], launcher, ...command.slice(2)] });
  }

  /** As `run`, in a process of its own: for a command that outlives the daemon, or whose daemon hangs. */
  spawn(words: readonly string[], options: RunOptions = {}): Promise<Result> {
    return this.#spawn([process.execPath, launcher, ...words], options);
  }

  async #runHere(words: readonly string[], { input = "" }: RunOptions): Promise<Result> {
    const stdout = new Collected();
    const stderr = new Collected();
    const code = await runProgram(words, this.environment, {
      // Neither is a terminal.
      stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]) as NodeJS.ReadStream,
      stdout: stdout as Writable as NodeJS.WriteStream,
      stderr: stderr as Writable as NodeJS.WriteStream,
      workingDirectory: this.directory,
    });
    return { code, stdout: stdout.text, stderr: stderr.text };
  }

  /** `$L` is the command, also in a session. */
  readonly launcherEnvironment = { L: lecternCommand };

  /** Runs a script of bash, in which `$L` is the command. */
  shell(script: string, env: Readonly<Record<string, string>> = {}): Promise<Result> {
    return this.#spawn(["bash", "-c", script], { env: { ...this.launcherEnvironment, ...env } });
  }

  async #spawn([program, ...words]: readonly [string, ...string[]], options: RunOptions): Promise<Result> {
    const child = spawn(program, words, {
      cwd: this.directory,
      env: { ...this.environment, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      ...(options.signal !== undefined && { signal: options.signal, killSignal: "SIGKILL" }),
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
    const { promise, resolve: end, reject } = Promise.withResolvers<number | null>();
    child.on("error", reject);
    child.on("close", end);
    const code = await promise;
    return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
  }

  /** Standard output of a command that must end well. */
  async ok(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(words);
    assert.equal(code, 0, `lectern ${words.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** Exit code and standard error of a command that must fail. */
  async fails(...words: string[]): Promise<string> {
    const { code, stderr } = await this.run(words);
    return `${code} ${stderr.trimEnd()}`;
  }

  /** A command on a terminal of its own. */
  onTerminal(words: readonly string[], size = { columns: 80, rows: 24 }): PtyRun {
    return this.#onPty([process.execPath, launcher, ...words], {
      environment: this.environment,
      workingDirectory: this.directory,
      ...size,
    });
  }

  /** A shell on a terminal, to see in what state a command leaves it. */
  shellOnTerminal(): PtyRun {
    const environment = { ...this.environment, ...this.launcherEnvironment };
    return this.#onPty(["bash", "--norc", "--noprofile", "-i"], { environment, workingDirectory: this.directory });
  }

  #onPty(command: readonly [string, ...string[]], options: ConstructorParameters<typeof PtyRun>[1]): PtyRun {
    const run = new PtyRun(command, options);
    this.#terminals.push(run);
    return run;
  }

  async info(): Promise<OutputOf<"daemon.info"> | undefined> {
    return this.client.call("daemon.info", {}, untilHanging()).catch(() => undefined);
  }

  /** The viewers of a session; undefined while no daemon listens. */
  async viewersOf(session: string): Promise<number | undefined> {
    return (await this.client.call("sessions.get", { session }).catch(() => undefined))?.viewers;
  }

  /** Kills the daemon as a crash would; resolves when it is gone. */
  async crashDaemon(): Promise<void> {
    const info = await this.info();
    assert.ok(info, "no daemon to kill");
    process.kill(info.pid, "SIGKILL");
    await gone(info.pid);
  }

  /** Process ids of its pty hosts, also of those that no daemon knows. */
  #hosts(): number[] {
    const socket = join(this.paths.runtimeDirectory, "host-");
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && commandLineOf(pid).includes(socket));
  }

  /** Ends and removes its sessions, terminals, tokens (but those in `lastingTokens`) and files; the daemon stays. */
  async clear(): Promise<void> {
    await Promise.all(this.#terminals.splice(0).map(({ pty }) => pty[Symbol.asyncDispose]()));
    let info = await this.info();
    // Only a daemon can end programs.
    if (info === undefined && this.#hosts().length > 0) await this.spawn(["ls"]);
    info ??= await this.info();
    if (info !== undefined) await this.#clearDaemon();
    const files = readdirSync(this.directory).map((name) => join(this.directory, name));
    for (const file of files.filter((path) => path !== this.environment["LECTERN_HOME"])) {
      rmSync(file, { recursive: true, force: true });
    }
  }

  /** Rejects if the daemon hangs, reports a problem, or has a setting that it keeps until it ends. */
  async #clearDaemon(): Promise<void> {
    const { client } = this;
    const options = untilHanging();
    const { sessions } = await client.call("sessions.list", {}, options);
    await Promise.all(sessions.map(({ id }) => client.call("sessions.remove", { session: id, force: true }, options)));
    const { tokens } = await client.call("tokens.list", {}, options);
    const created = tokens.filter(({ id }) => !this.lastingTokens.has(id));
    await Promise.all(created.map(({ id }) => client.call("tokens.revoke", { token: id }, options)));
    const { agentsDirectory, clusterFile, configFile, hostsFile, notifyFile } = this.paths;
    if (existsSync(notifyFile)) {
      const { devices } = await client.call("push.list", {}, options);
      await Promise.all(devices.map(({ id }) => client.call("push.unsubscribe", { device: id }, options)));
      const { notices } = await client.call("notify.list", { limit: 1000 }, options);
      await Promise.all(notices.map(({ id }) => client.call("notify.remove", { notice: id }, options)));
    }
    const settings = [agentsDirectory, clusterFile, configFile, hostsFile].filter((path) => existsSync(path));
    for (const path of settings) rmSync(path, { recursive: true });
    if (settings.length > 0) {
      const { needRestart } = await client.call("daemon.reload", {}, options);
      assert.deepEqual(needRestart, [], "settings of the daemon");
    }
    const { problems } = await client.call("daemon.info", {}, options);
    assert.deepEqual(problems, [], "problems of the daemon");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (ended(this)) await this.end();
  }

  protected async end(): Promise<void> {
    await Promise.all(this.#terminals.splice(0).map(({ pty }) => pty[Symbol.asyncDispose]()));
    const hosts = this.#hosts();
    const info = await this.info();
    // As "lectern down --programs" does, without the start of a command where there is a daemon.
    if (info !== undefined) {
      noteEnd(this.paths);
      await this.client.call("daemon.stop", { programs: true }).catch(() => undefined);
    } else if (hosts.length > 0) await this.spawn(["down", "--programs"]);
    await Promise.all([...hosts, ...(info === undefined ? [] : [info.pid])].map((pid) => gone(pid)));
    rmSync(this.paths.runtimeDirectory, { recursive: true, force: true });
    removeAfterTest(this, this.directory);
  }
}

/** A home whose daemon always runs. */
class LastingHome extends CliHome {
  constructor(directory?: string) {
    // The daemon outlives a test file, whose own HOME is removed.
    super((home) => ({ LECTERN_HOME: join(home, "home"), HOME: join(home, "user") }), directory);
    makeFishHome(this.#user);
  }

  get #user(): string {
    return join(this.directory, "user");
  }

  /** As `clear`, with a daemon that listens on a port too. One that cannot be cleared is ended, and the next call starts another. */
  override async clear(): Promise<void> {
    try {
      makeFishHome(this.#user);
      let info = await this.info();
      // One that a host or a follower has just started.
      const isSettled = async (): Promise<boolean> =>
        (info ??= await this.info()) !== undefined || readDaemonFile(this.paths) === undefined;
      await until(isSettled, "the daemon answers");
      // A test may have ended it, or started it without a port; and one that a client or a host has started makes room for `up`.
      const isOfUser = readDaemonFile(this.paths)?.startedBy === "user";
      const isUsual = info?.listen.length === 2 && isOfUser;
      if (info !== undefined && !isUsual) await stopDaemon(this.client, this.paths, { programs: false });
      if (!isUsual) await this.startDaemon("--port", "0");
      await super.clear();
      makeFishHome(this.#user);
    } catch (cause) {
      const hanging = (await this.info()) === undefined ? readDaemonFile(this.paths)?.pid : undefined;
      if (hanging !== undefined) process.kill(hanging, "SIGKILL");
      await this.end();
      makeFishHome(this.#user);
      throw new Error("Cannot clear the shared daemon after the previous test", { cause });
    }
  }
}

class Collected extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** One daemon for the tests of a file, or of several files, one after the other. They may end it or kill it: it runs again for the next test. */
export class SharedHome {
  readonly #home = new LastingHome(lastingDirectory);
  #isUsed = false;

  constructor() {
    // The runner ends it, not the end of this process.
    if (lastingDirectory !== undefined) ended(this.#home);
    after(() => this.#leave());
  }

  /** The home without what earlier tests left, except what a daemon remembers, such as its audit log. */
  async empty(): Promise<CliHome> {
    const cleared = this.#home.clear();
    // What an earlier file has left is not a failure of this one.
    await (this.#isUsed ? cleared : cleared.catch(() => this.#home.clear()));
    this.#isUsed = true;
    return this.#home;
  }

  async #leave(): Promise<void> {
    if (lastingDirectory === undefined) await this.#home[Symbol.asyncDispose]();
    else if (this.#isUsed) await this.#home.clear();
  }
}

/** Ends the daemon that files have shared in this directory, with its programs, and removes the directory. */
export const endSharedHome = (directory: string): Promise<void> => new LastingHome(directory)[Symbol.asyncDispose]();

const untilHanging = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(HEALTHY_MS_MAX) });

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}

/**
 * Kills processes, given with a child before its parent, as a machine does that loses its power: none of them sees another one end, and a host does
 * not start its daemon again. Resolves when they are gone.
 */
export async function killAtOnce(pids: readonly number[]): Promise<void> {
  for (const pid of pids.toReversed()) process.kill(pid, "SIGSTOP");
  for (const pid of pids) process.kill(pid, "SIGKILL");
  await Promise.all(pids.map(gone));
}

/** Resolves when there is no such process; one that stays too long is killed and is a failure. */
export async function gone(pid: number): Promise<void> {
  const deadline = Date.now() + GONE_MS_MAX;
  while (isRunning(pid)) {
    if (Date.now() > deadline) {
      process.kill(pid, "SIGKILL");
      throw new Error(`Process ${pid} did not end`);
    }
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}
