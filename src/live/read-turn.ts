/**
 * Limits what all readers of a process read in one turn of the event loop. Otherwise a reader whose socket accepts everything would
 * continue in microtasks, and a keystroke, which arrives with the next turn, would wait for megabytes.
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

  /** Undefined while there is room in this turn; otherwise resolves in the next turn, in which it has to be checked again. */
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
