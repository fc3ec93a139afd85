import type { SegmentFile } from "./segment-file.ts";

/** Where a reader is: the frame that begins at `offset` lies at `position`. */
export interface SegmentPlace {
  readonly file: SegmentFile;
  position: number;
  offset: number;
}

/** Something that holds an open file and can do without. */
interface Holder {
  forgetPlace(): void;
}

/**
 * Bounds the files that readers keep open. Beyond the bound the one that has not read for the longest time gives its
 * file back (second chance: a holder that read since it was last looked at goes to the end of the line).
 */
export class OpenPlaces {
  readonly #filesMax: number;
  /** In the order in which they are looked at; true: has read since. */
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
        holder.forgetPlace();
        return;
      }
      this.#holders.set(holder, false);
    }
  }
}

/** For all readers of the process. */
export const openPlaces = new OpenPlaces(128);
