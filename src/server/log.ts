/**
 * The daemon's log: JSON lines by pino. What a program or a client chose (titles, paths, messages) can stand in them, so what acts
 * on a terminal or changes the direction of text is escaped, and what looks like a credential is blotted out, whatever field it is in.
 */
import { pino, type Logger } from "pino";
import { LogFile, type LineSink } from "./log-file.ts";

export type { Logger };

/** pino itself escapes C0 and quotes; these it leaves as they are: DEL and C1, bidi marks, line separators, byte order mark. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const CREDENTIAL = /(bearer[ .+]+|lectern-\d+=)[A-Za-z0-9._~+/=-]+/gi;
const STANDARD_ERROR = 2;
const SECRET_KEYS = ["authorization", "cookie", "set-cookie", "token", "code", "password", "secret"];

/** One line as it may be written: still the same JSON. */
export function escapeLine(line: string): string {
  return line
    .replaceAll(CREDENTIAL, "$1[redacted]")
    .replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

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
export function openLogger(level: string): Logger {
  return createLogger(new LogFile(STANDARD_ERROR), level);
}
