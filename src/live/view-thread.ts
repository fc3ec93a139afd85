/** One worker thread with screens, and the watchdog that ends it when it hangs. */
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { ownEnvironment } from "../pty/own-environment.ts";
import { Progress, type FromWorker, type ToWorker } from "./view-messages.ts";

/** Why a thread is gone, and what it was at; `at.from === at.to` where that was not output. */
export interface ThreadEnd {
  readonly reason: "hung" | "died";
  readonly at: { readonly id: number; readonly from: number; readonly to: number } | null;
  readonly message: string;
}

export interface ThreadOptions {
  /** Without a sign of life for so much time on a processor the thread is ended, and for ten times as long by the clock. */
  readonly deadlineMs: number;
  readonly onMessage: (message: FromWorker) => void;
  /** No sign of life for half of it: time to start another thread. Called once for each such silence. */
  readonly onSilence: () => void;
  /** Called once; not for a thread that was closed. */
  readonly onEnd: (end: ThreadEnd) => void;
}

/** From source the worker is a `.ts` file, in the package a `.js` file: the compiler rewrites imports, not URLs. */
const sourceUrl = new URL("./view-worker.ts", import.meta.url);
const workerUrl = import.meta.url.endsWith(".ts") ? sourceUrl : new URL(sourceUrl.href.replace(/\.ts$/, ".js"));

/** By the clock, a thread that gets no processor is no thread that hangs. */
const CLOCK_FACTOR = 10;

/**
 * The watchdog reads the worker's progress from shared memory: a worker that goes on is left alone however long its batch takes, and
 * a main thread that was busy itself does not take its own delay for a hang. Where the kernel tells (Linux), it counts the time that the
 * thread was running: on a busy machine it may just not have been its turn.
 */
export class ViewThread {
  readonly #worker: Worker;
  readonly #progress = new Progress();
  readonly #options: ThreadOptions;
  readonly #timer: NodeJS.Timeout;
  #lastCount = -1;
  #unchangedSince = 0;
  #ranMsBefore = 0;
  #isSilent = false;
  #isEnded = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(workerUrl, { workerData: this.#progress.buffer, env: ownEnvironment() });
    this.#worker.on("message", (message: FromWorker) => {
      if (!this.#isEnded) options.onMessage(message);
    });
    this.#worker.on("error", (error: Error) => this.#end("died", error.message));
    this.#worker.on("exit", () => this.#end("died", "The worker thread exited"));
    this.#timer = setInterval(() => this.#watch(performance.now()), options.deadlineMs / 10).unref();
  }

  /** The memory of `bytes` moves to the worker. */
  post(message: ToWorker): void {
    const transferred = message.type === "feed" ? [message.bytes.buffer as ArrayBuffer] : []; // packed by the view, never shared
    this.#worker.postMessage(message, transferred);
  }

  async close(): Promise<void> {
    this.#isEnded = true;
    clearInterval(this.#timer);
    await this.#worker.terminate();
  }

  #watch(now: number): void {
    const { count, isBusy, thread } = this.#progress;
    if (!isBusy || count !== this.#lastCount) {
      this.#lastCount = count;
      this.#unchangedSince = now;
      this.#ranMsBefore = isBusy ? ranMs(thread) : 0;
      this.#isSilent = false;
      return;
    }
    const clockMs = now - this.#unchangedSince;
    const { deadlineMs, onSilence } = this.#options;
    if (clockMs < deadlineMs / 2) return;
    const silenceMs = thread === 0 ? clockMs : Math.max(ranMs(thread) - this.#ranMsBefore, clockMs / CLOCK_FACTOR);
    if (silenceMs >= deadlineMs) this.#end("hung", `No sign of life for ${deadlineMs} ms`);
    else if (silenceMs >= deadlineMs / 2 && !this.#isSilent) {
      this.#isSilent = true;
      onSilence();
    }
  }

  #end(reason: ThreadEnd["reason"], message: string): void {
    if (this.#isEnded) return;
    const at = this.#progress.isBusy ? this.#progress.at : null;
    void this.close();
    this.#options.onEnd({ reason, at, message });
  }
}

/** How long a thread of this process has been on a processor (proc(5), schedstat, in nanoseconds); 0 where nobody tells. */
function ranMs(thread: number): number {
  try {
    return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return 0;
  }
}
