import type * as nodeFiles from "node:fs";
import { encodeIndex, indexEveryBytes } from "./segment-index.ts";
import type { IndexEntry } from "./segment-index.ts";
import { segmentPath } from "./segments.ts";

/** What a writer calls of `node:fs`; a test puts a failing disk in its place. */
export type JournalFiles = Pick<
  typeof nodeFiles,
  "closeSync" | "fdatasync" | "fdatasyncSync" | "ftruncateSync" | "openSync" | "writeSync" | "writevSync"
>;

/** Entries that wait for one write: an index on disk is at most this many entries (256 KiB of frames) behind. */
const pendingMax = 4;
const entryBytes = 32;

/**
 * Writes the index of the active segment as it grows. It never fails: a missing entry costs a reader a longer walk
 * and nothing else, so an error stops the index of this segment and not the session.
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

  /** True when the frame at `position` is to be noted. */
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
