/** A daemon of its own for a benchmark, as a user runs it: `lectern up` in its own process, with its own directory. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LecternClient } from "../../src/client/client.ts";
import { unixTransport } from "../../src/client/unix-transport.ts";
import { lecternPaths, type LecternPaths } from "../../src/daemon/paths.ts";

/** `npm run bench` starts the bundle, as a user has it; a bench alone starts the sources. */
const entry = process.env["LECTERN_BENCH_LAUNCHER"] ?? join(import.meta.dirname, "../../bin/lectern.mjs");
const TICKS_PER_SECOND = 100;

export class BenchDaemon implements AsyncDisposable {
  readonly paths: LecternPaths;
  readonly client: LecternClient;
  readonly #nodeOptions: readonly string[];
  #process: ChildProcess;

  private constructor(home: string, nodeOptions: readonly string[]) {
    this.#nodeOptions = nodeOptions;
    this.paths = lecternPaths({ LECTERN_HOME: home });
    this.client = new LecternClient(unixTransport(this.paths.daemonSocket));
    this.#process = this.#spawn();
  }

  /** With `probed`, `longestTurnMs` can be asked. */
  static async start({ probed = false } = {}): Promise<BenchDaemon> {
    const home = mkdtempSync(join(tmpdir(), "lectern-bench-"));
    const daemon = new BenchDaemon(home, probed ? ["--import", join(import.meta.dirname, "loop-probe.ts")] : []);
    await daemon.ready();
    return daemon;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Processor time of the longest turn of the main loop since the last call. */
  async longestTurnMs(): Promise<number> {
    const answer = once(this.#process, "message");
    this.#process.send("turn");
    return Number((await answer)[0]);
  }

  async hostPids(): Promise<number[]> {
    return (await this.client.call("daemon.info", {})).hosts.map(({ pid }) => pid);
  }

  /** `kill -9`, then a new one. Resolves with the milliseconds until the new one answers. */
  async crash(): Promise<number> {
    const gone = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await gone;
    const start = performance.now();
    this.#process = this.#spawn();
    await this.ready();
    return performance.now() - start;
  }

  async ready(): Promise<void> {
    for (let attempt = 0; attempt < 2000; attempt++) {
      try {
        await this.client.call("daemon.info", {});
        return;
      } catch {
        await sleep(5);
      }
    }
    throw new Error("the daemon does not answer");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once("exit", resolve));
    await this.client.call("daemon.stop", { programs: true });
    await gone;
    rmSync(this.paths.dataDirectory, { recursive: true, force: true });
  }

  #spawn(): ChildProcess {
    return spawn(process.execPath, [...this.#nodeOptions, entry, "up", "--no-tcp"], {
      env: { ...process.env, LECTERN_HOME: this.paths.dataDirectory },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
  }
}

/** CPU seconds that a process has used so far, with its threads. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory in KiB. */
export function residentKibOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN);
}
