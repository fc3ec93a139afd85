/** The output of one command, bounded: head and tail stay, what is between is counted, hashed, and kept as a file where a directory is given. */
import { createHash, randomUUID, type Hash } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { HeadTail } from "../core/bytes/head-tail.ts";
import { joinBytes } from "../core/text/bytes.ts";
import { Sanitizer } from "../core/text/sanitizer.ts";

export interface CommandOutputOptions {
  /** Half of it is head, half is tail. */
  readonly bytesMax: number;
  /** Where an output that is longer is kept as a whole, under its SHA-256. It is made where it is missing. */
  readonly blobDirectory: string | undefined;
}

const EMPTY = new Uint8Array(0);
/** A longer output is not kept as a whole: no command may fill the disk. */
const BLOB_BYTES_MAX = 1024 * 1024 * 1024;

/** What was left out of an output that was longer than its limit. */
export interface OmittedOutput {
  /** Left out between head and tail. */
  readonly bytes: number;
  readonly totalBytes: number;
  /** Of the whole output, as the program wrote it, in hexadecimal. */
  readonly sha256: string;
  /** The whole output; null where no directory for it was given, and where it is longer than 1 GiB. */
  readonly path: string | null;
}

export interface CollectedOutput {
  /** As a person would read it. Where something is left out a line says so. */
  readonly text: string;
  /** As the program wrote it, without what was left out. */
  readonly bytes: Uint8Array;
  readonly omitted: OmittedOutput | null;
}

/** Small outputs are neither hashed nor written: what is needed for that is still there when one becomes too long. */
export class CommandOutput {
  readonly #options: CommandOutputOptions;
  /** Made when the output becomes too long. */
  #kept: HeadTail | undefined;
  /** The pieces while the output is short: no copy is made of one that came in one piece. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #hash: Hash | undefined;
  #blob: Blob | undefined;

  constructor(options: CommandOutputOptions) {
    this.#options = options;
  }

  get totalBytes(): number {
    return this.#bytes;
  }

  /** Copies the bytes. */
  feed(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#hash !== undefined) return this.#keep(bytes);
    this.#pieces.push(Buffer.from(bytes));
    if (this.#bytes <= this.#options.bytesMax) return;
    const half = Math.max(1, this.#options.bytesMax >> 1);
    this.#kept = new HeadTail({ headBytesMax: half, tailBytesMax: half });
    this.#hash = createHash("sha256");
    if (this.#options.blobDirectory !== undefined) this.#blob = new Blob(this.#options.blobDirectory);
    for (const piece of this.#pieces) this.#keep(piece);
    this.#pieces = [];
  }

  /** The result; nothing may be fed after it. */
  end(): CollectedOutput {
    if (this.#hash === undefined || this.#kept === undefined) {
      const bytes = this.#pieces.length === 1 ? (this.#pieces[0] ?? EMPTY) : Buffer.concat(this.#pieces);
      return { text: textOf(bytes), bytes, omitted: null };
    }
    const { head, tail, omittedBytes, totalBytes } = this.#kept.end();
    const sha256 = this.#hash.digest("hex");
    const path = this.#blob?.keepAs(sha256) ?? null;
    const note = `\n[... ${omittedBytes} bytes omitted ...]\n`;
    return {
      text: `${textOf(head)}${note}${textOf(tail)}`,
      bytes: joinBytes(head, tail),
      omitted: { bytes: omittedBytes, totalBytes, sha256, path },
    };
  }

  /** Forgets all; for a command whose result nobody gets. */
  discard(): void {
    this.#pieces = [];
    this.#blob?.discard();
  }

  #keep(bytes: Uint8Array): void {
    this.#kept?.feed(bytes);
    this.#hash?.update(bytes);
    this.#blob?.append(bytes);
    if (this.#bytes <= BLOB_BYTES_MAX) return;
    this.#blob?.discard();
    this.#blob = undefined;
  }
}

function textOf(bytes: Uint8Array): string {
  const sanitizer = new Sanitizer();
  return sanitizer.feed(bytes) + sanitizer.end();
}

/** A file that gets its name when all of it is there. */
class Blob {
  readonly #directory: string;
  readonly #path: string;
  #descriptor: number | undefined;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#directory = directory;
    this.#path = join(directory, `.${randomUUID()}.part`);
    this.#descriptor = openSync(this.#path, "wx", 0o600);
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; this.#descriptor !== undefined && at < bytes.length;) {
      at += writeSync(this.#descriptor, bytes, at);
    }
  }

  keepAs(name: string): string {
    this.#close();
    const path = join(this.#directory, name);
    renameSync(this.#path, path);
    return path;
  }

  discard(): void {
    this.#close();
    rmSync(this.#path, { force: true });
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
