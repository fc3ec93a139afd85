/** A record that its agent has packed with zstd after some time, as Codex does: it does not grow. */
import { zstdDecompressSync } from "node:zlib";
import { codeOf, RecordFile, RecordRefusal, type RecordPlace, type RecordSource } from "./record-file.ts";

/** A larger one is not read: nothing else happens while it is unpacked. */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

export class PackedRecord implements RecordSource {
  readonly #file: RecordFile;

  private constructor(file: RecordFile) {
    this.#file = file;
  }

  /** Throws `RecordRefusal`. */
  static open(path: string, place: RecordPlace): PackedRecord {
    return new PackedRecord(RecordFile.open(path, place));
  }

  /** All of it, and then nothing. Throws `RecordRefusal`. */
  next(): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let bytes = this.#file.next(); bytes.length > 0; bytes = this.#file.next()) parts.push(bytes);
    if (parts.length === 0) return new Uint8Array();
    try {
      return zstdDecompressSync(Buffer.concat(parts), { maxOutputLength: UNPACKED_BYTES_MAX });
    } catch (error) {
      throw new RecordRefusal(`it cannot be unpacked (${codeOf(error)})`);
    }
  }

  state(): "same" | "replaced" | "gone" {
    return this.#file.state();
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}
