import type { SegmentFile } from "./segment-file.ts";

/** Where a reader is: the frame that begins at `offset` lies at `position`. */
export interface ReaderPosition {
  readonly file: SegmentFile;
  position: number;
  offset: number;
}

/** A reader that can close its file and open it again later. */
interface Holder {
  closeFile(): void;
}

/**
 * Limits the files that readers keep open. Above the limit, the least recently used reader closes its file
 * (second chance algorithm: a holder that has read since it was last examined goes to the end of the queue).
 */
export class OpenReaders {
  readonly #filesMax: number;
  /** In the order in which they are examined; true if the holder has read since. */
  readonly #holders = new Map<Holder, boolean>();

  constructor(filesMax: number) {
    this.#filesMax = filesMax;
  }

  get size(): number {
    return this.#holders.size;
  }

  add(holder: Holder): void {
    if (this.#holders.has(holder)) return;
    while (this.#holders.size >= this.#filesMax) this.#evictOne();
    this.#holders.set(holder, false);
  }

  touch(holder: Holder): void {
    this.#holders.set(holder, true);
  }

  remove(holder: Holder): void {
    this.#holders.delete(holder);
  }

  #evictOne(): void {
    for (const [holder, hasRead] of this.#holders) {
      this.#holders.delete(holder);
      if (!hasRead) {
        holder.closeFile();
        return;
      }
      this.#holders.set(holder, false);
    }
  }
}

export const openReaders = new OpenReaders(128);
