/**
 * The daemon's log: JSON lines by pino. What a program or a client chose (titles, paths, messages) can stand in them, so what acts
 * on a terminal or changes the direction of text is escaped, and what looks like a credential is blotted out, whatever field it is in.
 */
import { pino, type Logger } from "pino";
import { writeSync } from "node:fs";

interface LineSink {
  write(line: string): unknown;
}

/** The part of `node:fs` that is used; a test refuses a write with it. */
type WriteBytes = (descriptor: number, bytes: Uint8Array) => number;

/** Attempts for one line on a pipe that is full. */
const ATTEMPTS_MAX = 3;

const LINE_FEED = 10;

export type { Logger };

/** pino itself escapes C0 and quotes; these it leaves as they are: DEL and C1, bidi marks, line separators, byte order mark. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const CREDENTIAL = /(bearer[ .+]+|lectern-\d+=)[A-Za-z0-9._~+/=-]+/gi;
const STANDARD_ERROR = 2;
const SECRET_KEYS = ["authorization", "cookie", "set-cookie", "token", "code", "password", "secret"];

/** One line as it may be written: still the same JSON. */
export const escapeLine = (line: string): string =>
  line
    .replaceAll(CREDENTIAL, "$1[redacted]")
    .replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A logger on a sink, which never throws if the sink does not; `level` is pino's. Fields named like a secret are blotted out on the first two levels. */
export function createLogger(sink: LineSink, level: string): Logger {
  const paths = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`]);
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: { paths, censor: "[redacted]" },
      hooks: {
        logMethod(words, method) {
          try {
            method.apply(this, words);
          } catch {
            // A getter of what was to be logged has thrown.
            const message = words.find((word): word is string => typeof word === "string") ?? "";
            method.call(this, `${message} (its details cannot be logged)`);
          }
        },
      },
    },
    { write: (line: string) => void sink.write(escapeLine(line)) },
  );
}

/** A logger on standard error, which never throws. */
export const openLogger = (level: string): Logger => createLogger(new LogFile(STANDARD_ERROR), level);

/** Where the daemon's log lines go. Writing never throws: a log that cannot be written must not end the daemon. */
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

/** In the form of the other lines: level 40 is a warning. */
const droppedLine = (count: number, reason: string): string =>
  `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg: `${count} log lines could not be written: ${reason}` })}\n`;
