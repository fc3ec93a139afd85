/**
 * Compresses sealed segments, one journal at a time. A session that writes is skipped until it is quiet for a round: its program
 * needs the processor more.
 */
import { waits } from "../../core/waits.ts";
import { compressSealed } from "../../journal/compress.ts";
import type { SessionEntry } from "./session-entry.ts";
import type { SessionRegistry } from "./session-registry.ts";

/** Below this a compressed file saves too little to be worth a rename. */
const WORTH_BYTES_MIN = 256 * 1024;

export class Maintenance {
  readonly #registry: SessionRegistry;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #stop = new AbortController();
  /** Where each journal ended in the last round, and up to where it is compressed. */
  readonly #seen = new WeakMap<SessionEntry, { end: number; compressed: number }>();
  #round: Promise<void> | undefined;

  constructor(registry: SessionRegistry, onError: (error: unknown) => void) {
    this.#registry = registry;
    this.#onError = onError;
    this.#timer = setInterval(() => this.#start(), waits.roundMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#round;
  }

  #start(): void {
    this.#round ??= this.#compressAll()
      .catch(this.#onError)
      .finally(() => (this.#round = undefined));
  }

  async #compress(entry: SessionEntry): Promise<void> {
    try {
      await compressSealed(entry.directory, { signal: this.#stop.signal, includeLast: !entry.live });
    } catch (error) {
      // It was removed meanwhile, with its files.
      if (this.#registry.get(entry.id) !== undefined) throw error;
    }
  }

  async #compressAll(): Promise<void> {
    for (const entry of this.#registry.all) {
      if (this.#stop.signal.aborted) return;
      await entry.refresh();
      const { end } = entry.stored;
      const seen = this.#seen.get(entry) ?? { end: -1, compressed: 0 };
      const quiet = seen.end === end;
      const worth = end - seen.compressed >= WORTH_BYTES_MIN;
      this.#seen.set(entry, { end, compressed: seen.compressed });
      if (!quiet || !worth) continue;
      await this.#compress(entry);
      this.#seen.set(entry, { end, compressed: end });
    }
  }
}
