/** Where the daemon's log lines go. Writing never throws: a log that cannot be written must not end the daemon. */
import { writeSync } from "node:fs";

/** Where lines go. */
export interface LineSink {
  write(line: string): unknown;
}

/** The part of `node:fs` that is used; a test refuses a write with it. */
export type WriteBytes = (descriptor: number, bytes: Uint8Array) => number;

/** Attempts for one line on a pipe that is full. */
const ATTEMPTS_MAX = 3;

export class LogFile implements LineSink {
  readonly #descriptor: number;
  readonly #write: WriteBytes;
  #dropped = 0;
  /** Why the first of them was dropped. */
  #reason = "";
  /** The last write ended within a line: the next one begins on a new line. */
  #isTorn = false;

  constructor(descriptor: number, write: WriteBytes = writeSync) {
    this.#descriptor = descriptor;
    this.#write = write;
  }

  /** A line with its line feed. One that cannot be written is counted, and the count is written before the next one that can. */
  write(line: string): void {
    const note = this.#dropped === 0 ? "" : droppedLine(this.#dropped, this.#reason);
    if (this.#tryWrite(`${this.#isTorn ? "\n" : ""}${note}${line}`)) this.#dropped = 0;
    else this.#dropped++;
  }

  #tryWrite(text: string): boolean {
    let rest: Uint8Array = Buffer.from(text);
    try {
      for (let attempt = 0; rest.length > 0 && attempt < ATTEMPTS_MAX; attempt++) {
        const count = this.#write(this.#descriptor, rest);
        if (count > 0) this.#isTorn = rest[count - 1] !== LINE_FEED;
        rest = rest.subarray(count);
      }
    } catch (error) {
      if (this.#dropped === 0) this.#reason = (error as NodeJS.ErrnoException).code ?? String(error);
      return false;
    }
    return rest.length === 0;
  }
}

const LINE_FEED = 10;

/** In the form of the other lines: level 40 is a warning. */
const droppedLine = (count: number, reason: string): string =>
  `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg: `${count} log lines could not be written: ${reason}` })}\n`;
