/** A real daemon with real pty hosts in a directory of its own. Closing it ends everything that it started. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDaemon, type DaemonOptions, type RunningDaemon } from "../../src/daemon/daemon.ts";
import type { DaemonFeature } from "../../src/daemon/operations/daemon-features.ts";
import { lecternPaths, type LecternPaths } from "../../src/daemon/paths.ts";
import type { CallContext } from "../../src/daemon/service.ts";
import { features } from "../../src/features/features.ts";
import type { MachineSource } from "../../src/machines/machines.ts";
import { operations, type InputOf, type JsonOperation, type OutputOf } from "../../src/protocol/operations.ts";
import { removeAfterTest, watch } from "./evidence.ts";
import { ended, started } from "./leftovers.ts";
import { until } from "./until.ts";

/** As long as a test may take on a busy machine; a wait that is not in vain ends long before. */
const WAIT_MS_MAX = 90_000;

export interface DaemonLimits extends Pick<DaemonOptions, "times" | "config" | "sessionParts"> {
  /** Beside those of the features. */
  readonly machines?: MachineSource;
  /** Default: all. */
  readonly features?: readonly DaemonFeature[];
}

const context: CallContext = {
  caller: { scope: "admin", session: null },
  signal: new AbortController().signal,
};

export class TemporaryDaemon implements AsyncDisposable {
  readonly paths: LecternPaths;
  readonly errors: unknown[] = [];
  /** What the log says about files that were damaged or cannot be written. */
  readonly problems: string[] = [];
  #daemon: RunningDaemon | undefined;
  readonly #hostPids = new Set<number>();
  readonly #limits: DaemonLimits;

  private constructor(home: string, limits: DaemonLimits) {
    this.paths = lecternPaths({ LECTERN_HOME: home });
    this.#limits = limits;
    started(this);
    watch(this);
  }

  static async start(
    home = mkdtempSync(join(tmpdir(), "lectern-test-")),
    limits: DaemonLimits = {},
  ): Promise<TemporaryDaemon> {
    const daemon = new TemporaryDaemon(home, limits);
    await daemon.open();
    return daemon;
  }

  get running(): RunningDaemon {
    if (this.#daemon === undefined) throw new Error("the daemon is closed");
    return this.#daemon;
  }

  async open(version = "0.0.0-test", paths = this.paths): Promise<void> {
    const { features: given = features, machines, ...limits } = this.#limits;
    this.#daemon = await startDaemon(paths, {
      version,
      onStop: () => {},
      onError: (error) => this.errors.push(error),
      onProblem: (line) => this.problems.push(line),
      ...limits,
      features: [
        ...given,
        ...(machines === undefined ? [] : [{ name: "machines of the test", open: () => ({ machines }) }]),
      ],
    });
  }

  /** The daemon goes, the programs stay. */
  async close(): Promise<void> {
    const daemon = this.#daemon;
    await this.#noteHosts();
    this.#daemon = undefined;
    await daemon?.close();
  }

  async restart(version?: string): Promise<void> {
    await this.close();
    await this.open(version);
  }

  /** Calls an operation as a server would: with the defaults of its schema. */
  async call<Name extends JsonOperation>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>> {
    const parsed = operations[name].input.parse(input);
    // The name picks both the handler and its input; the compiler cannot follow that through a union.
    const handler = this.running.service.handlers[name] as (
      input: unknown,
      context: CallContext,
    ) => Promise<OutputOf<Name>>;
    return handler(parsed, context);
  }

  async run(
    command: string[],
    options: Omit<InputOf<"sessions.create">, "command"> = {},
  ): Promise<OutputOf<"sessions.create">> {
    const [program = "", ...rest] = command;
    const session = await this.call("sessions.create", { command: [program, ...rest], ...options });
    await this.#noteHosts();
    return session;
  }

  async exitOf(session: string): Promise<OutputOf<"sessions.wait">["session"]> {
    return (await this.call("sessions.wait", { session, for: { type: "exit" }, timeoutMs: WAIT_MS_MAX })).session;
  }

  async untilOutput(session: string, pattern: string, from?: number): Promise<OutputOf<"sessions.wait">> {
    const result = await this.call("sessions.wait", {
      session,
      for: { type: "output", pattern },
      timeoutMs: WAIT_MS_MAX,
      ...(from === undefined ? {} : { from }),
    });
    if (result.reason !== "output") throw new Error(`no output matched ${pattern}: ${result.reason}`);
    return result;
  }

  /** Every output byte of a session, read through the operation that clients use. */
  async outputOf(session: string): Promise<Buffer> {
    const input = operations["sessions.output"].input.parse({ session });
    const body = await this.running.service.handlers["sessions.output"](input, context);
    return Buffer.concat(await Array.fromAsync(body.chunks));
  }

  async recordsOf(session: string): Promise<OutputOf<"sessions.records">["records"]> {
    const records: OutputOf<"sessions.records">["records"] = [];
    for (let from = 0; ;) {
      const page = await this.call("sessions.records", { session, from });
      records.push(...page.records);
      if (page.next === from) return records;
      from = page.next;
    }
  }

  async hosts(): Promise<OutputOf<"daemon.info">["hosts"]> {
    return (await this.call("daemon.info", {})).hosts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!ended(this)) return;
    try {
      if (this.#daemon !== undefined) await this.close();
    } finally {
      for (const pid of this.#hostPids) endIfOurs(pid, this.paths.runtimeDirectory);
      // What is killed may still be in the middle of a call that makes a file.
      await until(() => ![...this.#hostPids].some((pid) => isHostOf(pid, this.paths.runtimeDirectory)));
      rmSync(this.paths.runtimeDirectory, { recursive: true, force: true });
      removeAfterTest(this, this.paths.dataDirectory);
    }
  }

  async #noteHosts(): Promise<void> {
    if (this.#daemon !== undefined) for (const { pid } of await this.hosts()) this.#hostPids.add(pid);
  }
}

/** A process id may have gone to somebody else meanwhile: only a host of this directory is ended. */
function endIfOurs(pid: number, runtimeDirectory: string): void {
  try {
    if (isHostOf(pid, runtimeDirectory)) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** False for one that has ended, also where nobody has taken its status yet: it has no command line then. */
function isHostOf(pid: number, runtimeDirectory: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(runtimeDirectory);
  } catch {
    return false;
  }
}

export const isRunning = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};

export const filesIn = (directory: string): string[] => readdirSync(directory).toSorted();
