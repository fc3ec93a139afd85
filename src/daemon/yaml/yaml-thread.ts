/**
 * Does beside the event loop what texts of callers make costly. The parser of YAML needs up to 30 µs for each character of a hostile text,
 * the checks of a policy take as long as its parsing, and a call behind the gateway can cost seconds, so they would hold up every session of
 * the daemon. A deadline is certain only for what can be terminated: a job over its limit ends its thread, and the next one gets a new one.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { LecternError } from "../../core/errors.ts";
import { ownThread } from "../../pty/own-environment.ts";
import type { YamlInput, YamlJob, YamlOutput } from "./yaml-jobs.ts";
import type { YamlRequest } from "./yaml-worker.ts";

/** Processor time of one job. The start of a thread takes 0.2 s of the first, a policy of the largest size up to 1 s. */
const CPU_MS_MAX = 5000;
/** For a thread that gets no processor time; a busy machine gave one 5 s of it in more than 5 s. */
const DEADLINE_MS = 60_000;
const CHECK_EVERY_MS = 100;
const IDLE_MS = 5000;

export interface YamlThreadOptions {
  /** Default 5 s. */
  readonly cpuMsMax?: number | undefined;
  /** Jobs that wait or are done; more are refused. Default 16. */
  readonly waitingMax?: number | undefined;
  /** A thread without a job for this long ends. Default 5 s. */
  readonly idleMs?: number | undefined;
  /** The file of the thread, if it is another one. */
  readonly entry?: URL | undefined;
}

type Work = () => Promise<void>;

/** One job at a time; whoever must not wait for another one's jobs has a `YamlThread` of their own. */
export class YamlThread {
  readonly #options: Required<{ readonly [Name in keyof YamlThreadOptions]: NonNullable<YamlThreadOptions[Name]> }>;
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, Work[]>();
  #jobs = 0;
  #isBusy = false;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ cpuMsMax = CPU_MS_MAX, entry, idleMs = IDLE_MS, waitingMax = 16 }: YamlThreadOptions = {}) {
    const file = entry ?? new URL(`./yaml-worker${extname(import.meta.url)}`, import.meta.url);
    this.#options = { cpuMsMax, idleMs, waitingMax, entry: file };
  }

  /**
   * The jobs of all callers have turns, so that nobody waits for more than one job of each other; a caller may have half of those that
   * wait. Throws `LIMIT_EXCEEDED` if the job takes too long, or too many wait.
   */
  async run<Job extends YamlJob>(job: Job, input: YamlInput<Job>, caller = ""): Promise<YamlOutput<Job>> {
    const { waitingMax } = this.#options;
    const own = this.#waiting.get(caller) ?? [];
    if (this.#jobs >= waitingMax || (caller !== "" && own.length >= waitingMax / 2)) {
      const message = `Cannot read the text: ${this.#jobs} others wait; try again later`;
      throw new LecternError("LIMIT_EXCEEDED", message);
    }
    this.#jobs += 1;
    const { promise, reject, resolve } = Promise.withResolvers<YamlOutput<Job>>();
    own.push(() => this.#runNow(job, input).then(resolve, reject));
    this.#waiting.set(caller, own);
    if (!this.#isBusy) void this.#runAll();
    return await promise;
  }

  async #runAll(): Promise<void> {
    this.#isBusy = true;
    clearTimeout(this.#idle);
    for (const [caller, works] of this.#waiting) {
      const work = works.shift();
      // Again at the end: a Map goes on with what is added while it is read.
      this.#waiting.delete(caller);
      if (works.length > 0) this.#waiting.set(caller, works);
      await work?.();
      this.#jobs -= 1;
    }
    this.#isBusy = false;
    this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs).unref();
  }

  async #runNow<Job extends YamlJob>(job: Job, input: YamlInput<Job>): Promise<YamlOutput<Job>> {
    const { cpuMsMax } = this.#options;
    const { promise, reject, resolve } = Promise.withResolvers<YamlOutput<Job>>();
    const worker = (this.#worker ??= this.#start());
    const cpuMsBefore = cpuMsOf(worker);
    const onExit = (): void =>
      reject(new LecternError("INTERNAL", "The thread that reads texts ended without a result"));
    worker.once("message", resolve).once("error", reject).once("exit", onExit);
    const deadline = setTimeout(() => reject(tooCostly(DEADLINE_MS)), DEADLINE_MS);
    const check = async (): Promise<void> => {
      if ((await cpuMsOf(worker)) - (await cpuMsBefore) > cpuMsMax) reject(tooCostly(cpuMsMax));
    };
    const checks = setInterval(() => void check(), CHECK_EVERY_MS);
    try {
      worker.postMessage({ job, input } satisfies YamlRequest);
      return await promise;
    } catch (error) {
      await this.#end();
      throw error;
    } finally {
      clearTimeout(deadline);
      clearInterval(checks);
      worker.off("message", resolve).off("error", reject).off("exit", onExit);
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#options.entry, ownThread());
    // What fails between two jobs is an error for nobody.
    worker.on("error", () => undefined);
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    // The deadline of a job keeps the process until it is done.
    worker.unref();
    return worker;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

/** 0 before the thread runs and after its end, and before Node 24.6, where the deadline alone is the limit. */
async function cpuMsOf(worker: Worker): Promise<number> {
  try {
    const { system, user } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}

const tooCostly = (deadlineMs: number): LecternError =>
  new LecternError("LIMIT_EXCEEDED", `Cannot read the text: it took more than ${deadlineMs} ms; make it shorter`);
