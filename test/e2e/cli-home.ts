/** The `lectern` command against a daemon of its own, in a home of its own, with all of it gone at the end. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { noteEnd } from "../../src/cli/daemon-process.ts";
import { LecternClient } from "../../src/client/client.ts";
import { unixTransport } from "../../src/client/unix-transport.ts";
import { lecternPaths, type LecternPaths } from "../../src/daemon/paths.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import { cleanEnvironment } from "../../src/pty/environment.ts";
import { isRunning } from "../../src/pty/is-running.ts";
import { PtyRun } from "../pty-run.ts";
import { removeAfterTest, watch } from "../support/evidence.ts";
import { launcher, lecternCommand } from "../support/launcher.ts";
import { ended, started } from "../support/leftovers.ts";

const GONE_MS_MAX = 60_000;
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
  readonly directory = mkdtempSync(join(tmpdir(), "lct-"));
  readonly environment: Readonly<Record<string, string>>;
  readonly paths: LecternPaths;
  readonly client: LecternClient;
  readonly #terminals: PtyRun[] = [];

  /** `variables` say where Lectern keeps its files, by default in one directory. */
  constructor(
    variables = (directory: string): Readonly<Record<string, string>> => ({ LECTERN_HOME: join(directory, "home") }),
  ) {
    const { LECTERN_HOME: _, XDG_RUNTIME_DIR: __, XDG_DATA_HOME: ___, ...clean } = cleanEnvironment(process.env);
    // Programs of a test stand in "bin".
    const path = `${join(this.directory, "bin")}:${clean["PATH"]}`;
    this.environment = { ...clean, ...variables(this.directory), NO_COLOR: "1", PS1: "$ ", PATH: path };
    this.paths = lecternPaths(this.environment);
    this.client = new LecternClient(unixTransport(this.paths.daemonSocket));
    started(this);
    watch(this);
  }

  /** Runs a command to its end, without a terminal. */
  run(words: readonly string[], options: RunOptions = {}): Promise<Result> {
    return this.#spawn([process.execPath, launcher, ...words], options);
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
    return this.client.call("daemon.info", {}).catch(() => undefined);
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
    if (info === undefined && this.#hosts().length > 0) await this.ok("ls");
    info ??= await this.info();
    if (info !== undefined) {
      const { sessions } = await this.client.call("sessions.list", {});
      await Promise.all(sessions.map(({ id }) => this.client.call("sessions.remove", { session: id, force: true })));
      const { tokens } = await this.client.call("tokens.list", {});
      const created = tokens.filter(({ id }) => !this.lastingTokens.has(id));
      await Promise.all(created.map(({ id }) => this.client.call("tokens.revoke", { token: id })));
    }
    const files = readdirSync(this.directory).map((name) => join(this.directory, name));
    for (const file of files.filter((path) => path !== this.environment["LECTERN_HOME"])) {
      rmSync(file, { recursive: true, force: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!ended(this)) return;
    await Promise.all(this.#terminals.map(({ pty }) => pty[Symbol.asyncDispose]()));
    const hosts = this.#hosts();
    const info = await this.info();
    // As "lectern down --programs" does, without the start of a command where there is a daemon.
    if (info !== undefined) {
      noteEnd(this.paths);
      await this.client.call("daemon.stop", { programs: true }).catch(() => undefined);
    } else if (hosts.length > 0) await this.run(["down", "--programs"]);
    await Promise.all([...hosts, ...(info === undefined ? [] : [info.pid])].map((pid) => gone(pid)));
    rmSync(this.paths.runtimeDirectory, { recursive: true, force: true });
    removeAfterTest(this, this.directory);
  }
}

/** One daemon for the tests of a file, one after the other, that need none of their own: its start is the dearest part of most. */
export class SharedHome {
  readonly #home = new CliHome();

  constructor() {
    after(() => this.#home[Symbol.asyncDispose]());
  }

  /** The home without what earlier tests left, except what a daemon remembers, such as its audit log. */
  async empty(): Promise<CliHome> {
    await this.#home.clear();
    return this.#home;
  }
}

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
