/**
 * Runs costly jobs outside the event loop, where they would delay every session of the daemon: the YAML parser needs up to 30 µs for each
 * character of a hostile text, checking a policy takes as long as parsing it, and judging a call can take seconds. Only a thread that can be
 * terminated has a certain deadline, so a job over its limit ends its thread, and the next job starts a new one.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { errorMessage, LecternError } from "../../core/errors.ts";
import { ownThread } from "../../pty/own-environment.ts";
import type { JobInput, ThreadJob, JobOutput } from "./thread-jobs.ts";
import type { JobRequest } from "./job-worker.ts";

/** Processor time of one job. The start of a thread takes 0.2 s of the first, a policy of the largest size up to 1 s. */
const CPU_MS_MAX = 5000;
/** For a thread that gets no processor time; a busy machine gave one 5 s of it in more than 5 s. */
const DEADLINE_MS = 60_000;
const CHECK_EVERY_MS = 100;
const IDLE_MS = 5000;

export interface JobThreadOptions {
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

/** One job at a time; whoever must not wait for another one's jobs has a `JobThread` of their own. */
export class JobThread {
  readonly #options: Required<{ readonly [Name in keyof JobThreadOptions]: NonNullable<JobThreadOptions[Name]> }>;
  /** By caller, in the order of their turns. */
  readonly #waiting = new Map<string, Work[]>();
  #jobs = 0;
  #isBusy = false;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ cpuMsMax = CPU_MS_MAX, entry, idleMs = IDLE_MS, waitingMax = 16 }: JobThreadOptions = {}) {
    const file = entry ?? new URL(`./job-worker${extname(import.meta.url)}`, import.meta.url);
    this.#options = { cpuMsMax, idleMs, waitingMax, entry: file };
  }

  /**
   * Callers take turns, so that nobody waits for more than one job of each other caller; one caller may have half of those that wait. Throws
   * `LIMIT_EXCEEDED` if the job takes too long or too many wait, and `INTERNAL` if it fails; the message names the job.
   */
  async run<Job extends ThreadJob>(job: Job, input: JobInput<Job>, caller = ""): Promise<JobOutput<Job>> {
    const { waitingMax } = this.#options;
    const own = this.#waiting.get(caller) ?? [];
    if (this.#jobs >= waitingMax || (caller !== "" && own.length >= waitingMax / 2))
      throw failure("LIMIT_EXCEEDED", job, `${this.#jobs} others wait; try again later`);
    this.#jobs += 1;
    const { promise, reject, resolve } = Promise.withResolvers<JobOutput<Job>>();
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

  async #runNow<Job extends ThreadJob>(job: Job, input: JobInput<Job>): Promise<JobOutput<Job>> {
    const { cpuMsMax } = this.#options;
    const { promise, reject, resolve } = Promise.withResolvers<JobOutput<Job>>();
    const worker = (this.#worker ??= this.#start());
    const cpuMsBefore = cpuMsOf(worker);
    const onError = (cause: Error): void => reject(failure("INTERNAL", job, errorMessage(cause), { cause }));
    const onExit = (): void => reject(failure("INTERNAL", job, "its thread ended without a result"));
    const tooLong = (limit: string): void =>
      reject(failure("LIMIT_EXCEEDED", job, `it took more than ${limit}; make it shorter`));
    worker.once("message", resolve).once("error", onError).once("exit", onExit);
    const deadline = setTimeout(() => tooLong(`${DEADLINE_MS} ms`), DEADLINE_MS);
    const check = async (): Promise<void> => {
      if ((await cpuMsOf(worker)) - (await cpuMsBefore) > cpuMsMax) tooLong(`${cpuMsMax} ms of processor time`);
    };
    const checks = setInterval(() => void check(), CHECK_EVERY_MS);
    try {
      worker.postMessage({ job, input } satisfies JobRequest);
      return await promise;
    } catch (error) {
      await this.#end();
      throw error;
    } finally {
      clearTimeout(deadline);
      clearInterval(checks);
      worker.off("message", resolve).off("error", onError).off("exit", onExit);
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

/** What each job does, for its errors. */
const ACTIONS: Readonly<Record<ThreadJob, string>> = {
  agents: "read the agent files",
  config: "read the configuration",
  finding: "judge the call",
  match: "match the pattern",
  policy: "read the policy",
  "policy.check": "check the policy",
  "policy.replay": "replay the policy",
  sandbox: "read the settings of the sandbox",
  schemas: "check the schemas of the events",
};

const failure = (
  code: "INTERNAL" | "LIMIT_EXCEEDED",
  job: ThreadJob,
  reason: string,
  options?: { readonly cause: Error },
): LecternError => new LecternError(code, `Cannot ${ACTIONS[job]}: ${reason}`, options);
