/**
 * A record that is read whole when it has changed: a document that its agent writes again in place (Cline), or a file that it has packed
 * (Codex). While a document is written, old bytes may follow the new ones; then it is read again at the next change or check.
 */
import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { jsonValueOf } from "../../core/json/json-value.ts";
import { asObject } from "../../core/wire/shape.ts";
import { codeOf, RecordFile, RecordRefusal, RecordState, type RecordPlace, type RecordSource } from "./record-file.ts";

/** A larger file is not read. */
const WHOLE_BYTES_MAX = 16 * 1024 * 1024;
/** A larger one is not read: nothing else happens while it is unpacked. */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;
/** Of the clock of files: what was written at about the time of the last read is read again. */
const CLOCK_SLACK_MS = 1000;

/** What its reader is given of the bytes of the file; undefined if they are not whole yet. Throws `RecordRefusal`. */
type Unpack = (bytes: Buffer) => Uint8Array | undefined;

/** As one line. */
export const documentLine: Unpack = (bytes) => {
  const document = asObject(jsonValueOf(bytes.toString()));
  return document === undefined ? undefined : Buffer.from(`${JSON.stringify(document)}\n`);
};

export const unpackedRecord: Unpack = (bytes) => {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch (error) {
    throw new RecordRefusal(`it cannot be unpacked (${codeOf(error)})`);
  }
};

export class WholeRecord implements RecordSource {
  readonly #path: string;
  readonly #place: RecordPlace;
  readonly #unpack: Unpack;
  readonly #state: RecordState;
  #digest = "";
  #readMs = 0;
  #writtenMs = 0;

  constructor(path: string, place: RecordPlace, unpack: Unpack) {
    this.#path = path;
    this.#place = place;
    this.#unpack = unpack;
    this.#state = new RecordState(path, statSync(path, { throwIfNoEntry: false }));
  }

  /** When what was read last was written. */
  get writtenMs(): number {
    return this.#writtenMs;
  }

  /** All of it if it has changed. Throws `RecordRefusal`. */
  next(): Uint8Array {
    const nowMs = Date.now();
    const writtenMs = statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (writtenMs < this.#readMs - CLOCK_SLACK_MS) return new Uint8Array();
    using file = RecordFile.open(this.#path, this.#place);
    const parts: Uint8Array[] = [];
    let length = 0;
    for (let part = file.next(); part.length > 0; part = file.next()) {
      parts.push(part);
      length += part.length;
      if (length > WHOLE_BYTES_MAX) throw new RecordRefusal("it is larger than 16 MiB");
    }
    const bytes = Buffer.concat(parts);
    const digest = hash("sha256", bytes);
    const whole = digest === this.#digest ? undefined : this.#unpack(bytes);
    if (whole === undefined) return new Uint8Array();
    this.#digest = digest;
    this.#readMs = nowMs;
    this.#writtenMs = writtenMs;
    return whole;
  }

  /** It may become shorter. */
  state(): "same" | "replaced" | "gone" {
    return this.#state.of(0);
  }

  [Symbol.dispose](): void {
    // It is open only while it is read.
  }
}
