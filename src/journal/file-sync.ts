import { open } from "node:fs/promises";
import type { JournalFiles } from "./index-appender.ts";

/**
 * - `always`: `append` returns after the data is on the disk
 * - `interval`: within 50 ms and one sync, on a thread of the pool; costs a few percent
 * - `never`: whenever the system likes
 */
export type SyncMode = "always" | "interval" | "never";

const intervalMs = 50;

/** Brings written data from the page cache to the disk, without stopping the event loop (except for `always`). */
export class FileSync {
  readonly #files: JournalFiles;
  readonly #mode: SyncMode;
  readonly #onFailure: (cause: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Syncs that run; a descriptor is closed only behind them. */
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  /** Where data was written that no sync has begun for: a slow disk must not gather syncs faster than it ends them. */
  #dirty: number | undefined;

  constructor(files: JournalFiles, mode: SyncMode, onFailure: (cause: unknown) => void) {
    this.#files = files;
    this.#mode = mode;
    this.#onFailure = onFailure;
  }

  /** After each write. Throws only with `always`. */
  written(descriptor: number): void {
    if (this.#mode === "always") this.#files.fdatasyncSync(descriptor);
    if (this.#mode !== "interval") return;
    this.#dirty = descriptor;
    if (this.#timer === undefined && !this.#isRunning) this.#arm();
  }

  /** Nothing more will be written to this descriptor, and a new file was made in the directory. Closes it. */
  retire(descriptor: number, directory: string): void {
    this.#running = this.#finish(this.#stop(descriptor), descriptor, directory);
  }

  async #finish(synced: Promise<void>, descriptor: number, directory: string): Promise<void> {
    await synced;
    this.#files.closeSync(descriptor);
    if (this.#mode !== "never") await syncDirectory(directory).catch(this.#onFailure);
  }

  async close(descriptor: number): Promise<void> {
    await this.#stop(descriptor);
    this.#files.closeSync(descriptor);
  }

  /** Syncs what is not synced yet and resolves when it is. */
  #stop(descriptor: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#dirty === descriptor) this.#start(descriptor);
    return this.#running;
  }

  #arm(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#dirty !== undefined) this.#start(this.#dirty);
    }, intervalMs).unref();
  }

  #start(descriptor: number): void {
    this.#dirty = undefined;
    this.#isRunning = true;
    this.#running = this.#runAfter(this.#running, descriptor);
  }

  async #runAfter(previous: Promise<void>, descriptor: number): Promise<void> {
    await previous;
    await this.#dataSync(descriptor);
    this.#isRunning = false;
    if (this.#dirty !== undefined && this.#timer === undefined) this.#arm();
  }

  #dataSync(descriptor: number): Promise<void> {
    return new Promise((resolve) => {
      this.#files.fdatasync(descriptor, (error) => {
        if (error !== null) this.#onFailure(error);
        resolve();
      });
    });
  }
}

/** Without it a power loss can take the name of a new file, with everything in it. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
