import { open } from "node:fs/promises";
import type { JournalFiles } from "./index-appender.ts";

/**
 * - `interval`: at most 50 ms plus one sync later, on a pool thread; costs a few percent
 * - `never`: whenever the kernel writes it back
 */
export type SyncMode = "interval" | "never";

const intervalMs = 50;

/** Syncs written data from the page cache to disk without blocking the event loop. */
export class FileSync {
  readonly #files: JournalFiles;
  readonly #mode: SyncMode;
  readonly #onFailure: (cause: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  /** Running syncs; a descriptor is closed only after them. */
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  /** A descriptor with data for which no sync has begun. At most one, so syncs do not queue up on a slow disk. */
  #dirty: number | undefined;

  constructor(files: JournalFiles, mode: SyncMode, onFailure: (cause: unknown) => void) {
    this.#files = files;
    this.#mode = mode;
    this.#onFailure = onFailure;
  }

  /** After each write. */
  written(descriptor: number): void {
    if (this.#mode !== "interval") return;
    this.#dirty = descriptor;
    if (this.#timer === undefined && !this.#isRunning) this.#arm();
  }

  /** Syncs and closes a descriptor whose successor was just created in `directory`. */
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

  /** Starts a last sync if needed and resolves after all syncs. */
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

/** Without this, a power loss can remove a new file from its directory. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
