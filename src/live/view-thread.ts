/** One worker thread with screens, and the watchdog that ends it when it hangs. */
import { Worker } from "node:worker_threads";
import { ownThread } from "../pty/own-environment.ts";
import { parseStat, readProc } from "../pty/proc-files.ts";
import { Stall } from "./stall.ts";
import { Progress, type FromWorker, type ToWorker } from "./view-messages.ts";

/** Why a thread has ended, and what it was working on; `at.from === at.to` if that was not output. */
export interface ThreadEnd {
  readonly reason: "hung" | "died";
  readonly at: { readonly id: number; readonly from: number; readonly to: number } | null;
  readonly message: string;
}

export interface ThreadOptions {
  /** The worker's file, if it is another one. */
  readonly worker?: URL | undefined;
  /** The thread is ended after this processor time without progress, or when it has slept ten times as long. */
  readonly deadlineMs: number;
  readonly onMessage: (message: FromWorker) => void;
  /** Called once per stall, after half of it without progress, so that another thread can be started. */
  readonly onSilence: () => void;
  /** Called once, unless the thread was closed. */
  readonly onEnd: (end: ThreadEnd) => void;
}

/** From source the worker is a `.ts` file, in the package a `.js` file: the compiler rewrites imports, not URLs. */
const sourceUrl = new URL("./view-worker.ts", import.meta.url);
const workerUrl = import.meta.url.endsWith(".ts") ? sourceUrl : new URL(sourceUrl.href.replace(/\.ts$/, ".js"));

/** For objects that were just made. V8 would let it grow to 48 MiB under load, and keep it. */
const YOUNG_MIB_MAX = 12;

/** A thread that took up what it was sent, and had nothing to do for so long, is not watched until the next message. */
const REST_MS = 5000;

/**
 * The watchdog reads the worker's progress from shared memory: a worker that progresses is not ended however long its batch takes, and
 * a main thread that was busy does not mistake its own delay for a hang. On a busy machine the thread may not have been scheduled, which
 * `Stall` does not count.
 */
export class ViewThread {
  readonly #worker: Worker;
  readonly #progress = new Progress();
  readonly #options: ThreadOptions;
  /** Undefined while the thread has nothing to do: a daemon without work does not wake. */
  #timer: NodeJS.Timeout | undefined;
  /** The worker's count at the last message to it. */
  #countAtPost = 0;
  #lastCount = -1;
  #unchangedSince = 0;
  #stall: Stall | undefined;
  #isSilent = false;
  #isEnded = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(options.worker ?? workerUrl, {
      workerData: this.#progress.buffer,
      ...ownThread(),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB_MAX },
    });
    this.#worker.on("message", (message: FromWorker) => {
      if (!this.#isEnded) options.onMessage(message);
    });
    this.#worker.on("error", (error: Error) => this.#end("died", error.message));
    this.#worker.on("exit", () => this.#end("died", "The worker thread exited"));
  }

  /** The memory of `bytes` moves to the worker. */
  post(message: ToWorker): void {
    const transferred = message.type === "feed" ? [message.bytes.buffer as ArrayBuffer] : []; // packed by the view, never shared
    this.#worker.postMessage(message, transferred);
    this.#countAtPost = this.#progress.count;
    this.#timer ??= setInterval(() => this.#watch(performance.now()), this.#options.deadlineMs / 10).unref();
  }

  async close(): Promise<void> {
    this.#isEnded = true;
    clearInterval(this.#timer);
    await this.#worker.terminate();
  }

  #watch(now: number): void {
    const { count, isBusy, thread } = this.#progress;
    const hasAnswered = !isBusy && count === this.#lastCount && count !== this.#countAtPost;
    if (hasAnswered && now - this.#unchangedSince >= REST_MS) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    if (count !== this.#lastCount || (!isBusy && !hasAnswered)) {
      this.#lastCount = count;
      this.#unchangedSince = now;
      this.#stall = undefined;
      this.#isSilent = false;
      return;
    }
    if (!isBusy) return;
    const { deadlineMs, onSilence } = this.#options;
    this.#stall ??= new Stall({ intervalMs: deadlineMs / 10, nowMs: now, ranMs: ranMs(thread) });
    const silenceMs = this.#stall.silenceMs({ nowMs: now, ranMs: ranMs(thread), isRunnable: isRunnable(thread) });
    if (silenceMs >= deadlineMs) this.#end("hung", `No progress for ${deadlineMs} ms`);
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

/** How long a thread of this process has been on a processor (proc(5), schedstat, in nanoseconds); null if that is unknown. */
function ranMs(thread: number): number | null {
  const { text } = readProc(`self/task/${thread}/schedstat`);
  return text === undefined ? null : Number(text.split(" ")[0]) / 1e6;
}

/** Null if that is unknown. */
function isRunnable(thread: number): boolean | null {
  const { text } = readProc(`self/task/${thread}/stat`);
  return text === undefined ? null : parseStat(text)?.state === "R";
}
