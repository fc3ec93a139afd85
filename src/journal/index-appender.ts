import type * as nodeFiles from "node:fs";
import { encodeIndex, indexEveryBytes, type IndexEntry } from "./segment-index.ts";
import { segmentPath } from "./segments.ts";

/** The part of `node:fs` that a writer uses; tests replace it with a failing disk. */
export type JournalFiles = Pick<
  typeof nodeFiles,
  "closeSync" | "fdatasync" | "ftruncateSync" | "openSync" | "writeSync" | "writevSync"
>;

/** Entries are written in groups of this size, so the index on disk lags by at most 256 KiB of frames. */
const pendingMax = 4;
const entryBytes = 32;

/**
 * Writes the index of the active segment as it grows. It never throws: a missing entry only costs a reader a longer
 * walk, so after an error this segment is no longer indexed and the session continues.
 */
export class IndexAppender {
  readonly #files: JournalFiles;
  readonly #path: string;
  #descriptor: number | undefined;
  #pending: IndexEntry[] = [];
  #written: number;
  #nextPosition: number;
  #failed = false;

  constructor(files: JournalFiles, directory: string, segment: { base: number; known: readonly IndexEntry[] }) {
    this.#files = files;
    this.#path = segmentPath(directory, segment.base, "idx");
    this.#written = segment.known.length;
    const last = segment.known.at(-1);
    this.#nextPosition = last === undefined ? 0 : last.position + indexEveryBytes;
  }

  /** Whether the frame at `position` needs an entry. */
  isDue(position: number): boolean {
    return position >= this.#nextPosition;
  }

  note(entry: IndexEntry): void {
    this.#nextPosition = entry.position + indexEveryBytes;
    this.#pending.push(entry);
    if (this.#pending.length >= pendingMax) this.flush();
  }

  flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    if (pending.length === 0 || this.#failed) return;
    try {
      this.#descriptor ??= this.#files.openSync(this.#path, this.#written === 0 ? "w" : "r+", 0o600);
      this.#files.writeSync(
        this.#descriptor,
        encodeIndex(pending),
        0,
        pending.length * entryBytes,
        this.#written * entryBytes,
      );
      this.#written += pending.length;
    } catch {
      this.#failed = true;
    }
  }

  close(): void {
    this.flush();
    if (this.#descriptor !== undefined) this.#files.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
