/**
 * A record that is one JSON document, which its agent writes again in place: each whole document becomes one line for its reader. While it is
 * written, old bytes may follow the new ones; then it is read again at the next change or check.
 */
import { statSync } from "node:fs";
import { asObject } from "../../core/wire/shape.ts";
import { jsonValueOf } from "../../core/json/json-value.ts";
import { RecordFile, RecordRefusal, RecordState, type RecordPlace, type RecordSource } from "./record-file.ts";

/** A larger document is not read. */
const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;
/** Of the clock of files: what was written at about the time of the last read is read again. */
const CLOCK_SLACK_MS = 1000;

export class RecordDocument implements RecordSource {
  readonly #path: string;
  readonly #place: RecordPlace;
  readonly #state: RecordState;
  #line = "";
  #readMs = 0;

  /** Throws `RecordRefusal`. */
  constructor(path: string, place: RecordPlace) {
    RecordFile.open(path, place)[Symbol.dispose]();
    this.#path = path;
    this.#place = place;
    this.#state = new RecordState(path, statSync(path));
  }

  /** The document if it has changed. Throws `RecordRefusal`. */
  next(): Uint8Array {
    const nowMs = Date.now();
    const writtenMs = statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (writtenMs < this.#readMs - CLOCK_SLACK_MS) return new Uint8Array();
    const document = asObject(jsonValueOf(this.#text()));
    if (document === undefined) return new Uint8Array();
    this.#readMs = nowMs;
    const line = `${JSON.stringify(document)}\n`;
    if (line === this.#line) return new Uint8Array();
    this.#line = line;
    return Buffer.from(line);
  }

  /** It may become shorter. */
  state(): "same" | "replaced" | "gone" {
    return this.#state.of(0);
  }

  [Symbol.dispose](): void {
    // It is open only while it is read.
  }

  #text(): string {
    using file = RecordFile.open(this.#path, this.#place);
    const parts: Uint8Array[] = [];
    let length = 0;
    for (let bytes = file.next(); bytes.length > 0; bytes = file.next()) {
      parts.push(bytes);
      length += bytes.length;
      if (length > DOCUMENT_BYTES_MAX) throw new RecordRefusal("it is larger than 16 MiB");
    }
    return Buffer.concat(parts).toString();
  }
}
