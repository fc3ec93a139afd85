/** Long outputs as files: written while they come, named by their SHA-256 when they are whole. */
import { createHash, randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { BlobSink, BlobWriter, KeptBlob } from "./blob-sink.ts";

/** A longer output is not kept as a whole: no command may fill the disk. */
const BLOB_BYTES_MAX = 1024 * 1024 * 1024;

/** A directory of the caller's own, which it clears itself: `DIRECTORY/HASH`. It is made where it is missing. */
export class BlobDirectory implements BlobSink {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  open(): BlobWriter {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const path = join(this.#directory, `.${randomBytes(12).toString("hex")}.part`);
    return new BlobFile(path, BLOB_BYTES_MAX, (hash) => renameSync(path, this.pathOf(hash)));
  }

  pathOf(hash: string): string {
    return join(this.#directory, hash);
  }
}

/** A blob on its way into a file, hashed as it comes; `keep` gives the file its name. What cannot be kept is hashed all the same. */
export class BlobFile implements BlobWriter {
  readonly #path: string;
  readonly #bytesMax: number;
  readonly #keep: (hash: string, bytes: number) => void;
  readonly #hash = createHash("sha256");
  /** Undefined once the blob is too long or the disk refused it. */
  #file: number | undefined;
  #bytes = 0;

  constructor(path: string, bytesMax: number, keep: (hash: string, bytes: number) => void) {
    this.#path = path;
    this.#bytesMax = bytesMax;
    this.#keep = keep;
    this.#file = openSync(path, "wx", 0o600);
  }

  write(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    if (this.#file === undefined) return;
    if (this.#bytes > this.#bytesMax || !tryWrite(this.#file, chunk)) this.#giveUp();
  }

  end(): KeptBlob {
    const hash = this.#hash.digest("hex");
    if (this.#file === undefined) return { hash, bytes: this.#bytes, kept: false };
    closeSync(this.#file);
    this.#file = undefined;
    return { hash, bytes: this.#bytes, kept: this.#tryKeep(hash) };
  }

  /** False where the place has gone meanwhile, or the disk has no room for a name. */
  #tryKeep(hash: string): boolean {
    try {
      this.#keep(hash, this.#bytes);
      return true;
    } catch {
      rmSync(this.#path, { force: true });
      return false;
    }
  }

  discard(): void {
    this.#giveUp();
  }

  #giveUp(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#path, { force: true });
  }
}

/** False where the disk is full: then the blob is not kept, and its reader is told so. */
function tryWrite(file: number, chunk: Uint8Array): boolean {
  try {
    for (let done = 0; done < chunk.length;) done += writeSync(file, chunk, done);
    return true;
  } catch {
    return false;
  }
}
