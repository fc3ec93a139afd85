/**
 * Reads texts in YAML beside the event loop. The parser needs up to 30 µs for each character of a hostile text, and the checks of a policy
 * take as long as its parsing, so a text of a request would hold up every session of the daemon. Each text has a thread of its own, which
 * ends with it: a deadline is certain only for what can be terminated.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { LecternError } from "../../core/errors.ts";
import { ownThread } from "../../pty/own-environment.ts";
import type { YamlInput, YamlJob, YamlOutput } from "./yaml-jobs.ts";

/** Processor time of the thread. Its start takes 0.2 s of it, a policy of the largest size up to 1 s. */
const CPU_MS_MAX = 5000;
/** For a thread that gets no processor time; a busy machine gave one 5 s of it in more than 5 s. */
const DEADLINE_MS = 60_000;
const CHECK_EVERY_MS = 100;

export interface YamlThreadOptions {
  /** Default 5 s. */
  readonly cpuMsMax?: number | undefined;
  /** Texts that wait or are read; more are refused. Default 16. */
  readonly waitingMax?: number | undefined;
  /** The file of the thread, if it is another one. */
  readonly entry?: URL | undefined;
}

/** One text at a time; whoever must not wait for another one's texts has a `YamlThread` of their own. */
export class YamlThread {
  readonly #cpuMsMax: number;
  readonly #waitingMax: number;
  readonly #entry: URL;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor({ cpuMsMax = CPU_MS_MAX, entry, waitingMax = 16 }: YamlThreadOptions = {}) {
    this.#cpuMsMax = cpuMsMax;
    this.#waitingMax = waitingMax;
    this.#entry = entry ?? new URL(`./yaml-worker${extname(import.meta.url)}`, import.meta.url);
  }

  /** Throws `LIMIT_EXCEEDED` if the text takes too long, or too many others wait. */
  async run<Job extends YamlJob>(job: Job, input: YamlInput<Job>): Promise<YamlOutput<Job>> {
    if (this.#waiting >= this.#waitingMax) {
      const message = `Cannot read the text: ${this.#waitingMax} others wait; try again later`;
      throw new LecternError("LIMIT_EXCEEDED", message);
    }
    this.#waiting += 1;
    const result = this.#last.then(() => this.#runNow(job, input)).finally(() => (this.#waiting -= 1));
    this.#last = result.catch(() => undefined);
    return await result;
  }

  async #runNow<Job extends YamlJob>(job: Job, input: YamlInput<Job>): Promise<YamlOutput<Job>> {
    const { promise, reject, resolve } = Promise.withResolvers<YamlOutput<Job>>();
    const worker = new Worker(this.#entry, { workerData: { job, input }, ...ownThread() });
    worker.on("message", resolve);
    worker.on("error", reject);
    worker.on("exit", () => reject(new LecternError("INTERNAL", "The thread that reads YAML ended without a result")));
    const deadline = setTimeout(() => reject(tooCostly(DEADLINE_MS)), DEADLINE_MS);
    const check = async (): Promise<void> => {
      if ((await cpuMs(worker)) > this.#cpuMsMax) reject(tooCostly(this.#cpuMsMax));
    };
    const checks = setInterval(() => void check(), CHECK_EVERY_MS);
    try {
      return await promise;
    } finally {
      clearTimeout(deadline);
      clearInterval(checks);
      await worker.terminate();
    }
  }
}

/** 0 before the thread runs and after its end, and before Node 24.6, where the deadline alone is the limit. */
async function cpuMs(worker: Worker): Promise<number> {
  try {
    const { system, user } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}

const tooCostly = (deadlineMs: number): LecternError =>
  new LecternError("LIMIT_EXCEEDED", `Cannot read the text: it took more than ${deadlineMs} ms; make it shorter`);
