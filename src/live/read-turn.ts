/**
 * What all readers of a process take in one turn of the event loop. A reader whose socket takes everything at once would else go on
 * and on in microtasks, and a keystroke of somebody else, which comes with the next turn, would wait for megabytes.
 */

/** A few milliseconds of reading and sending. */
const TURN_BYTES_MAX = 512 * 1024;

export class ReadTurn {
  readonly #bytesMax: number;
  #bytes = 0;
  #next: Promise<void> | undefined;

  constructor(bytesMax = TURN_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Undefined while there is room in this turn; else the next one, in which it has to be asked for again. */
  get next(): Promise<void> | undefined {
    return this.#bytes < this.#bytesMax ? undefined : this.#next;
  }

  /** Counts what was taken. */
  took(bytes: number): void {
    this.#bytes += bytes;
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#bytes = 0;
        this.#next = undefined;
        resolve();
      });
    });
  }
}
