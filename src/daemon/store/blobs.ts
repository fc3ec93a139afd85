/**
 * Outputs that are too long to be shown whole, under their SHA-256. Any number of processes may write: a blob is made under a
 * name of its own and renamed when it is whole. The store is bounded; the blobs unused for longest go first.
 */
import { unitMs } from "../../core/waits.ts";
import { randomBytes } from "node:crypto";
import { createReadStream, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { BlobFile } from "../../terminal/blob-file.ts";
import type { BlobSink, BlobWriter } from "../../terminal/blob-sink.ts";
import { LecternError } from "../../core/errors.ts";

export interface BlobStoreOptions {
  /** A longer one is not kept; its hash is still that of the whole. Default 256 MiB. */
  readonly blobBytesMax?: number;
  /** Of all together. Default 1 GiB. */
  readonly totalBytesMax?: number;
}

const HASH_PREFIX_MIN = 8;

export class BlobStore implements BlobSink {
  readonly #directory: string;
  readonly #blobBytesMax: number;
  readonly #totalBytesMax: number;
  /** Written since the store was last looked through. */
  #unswept = Number.POSITIVE_INFINITY;

  constructor(directory: string, options: BlobStoreOptions = {}) {
    this.#directory = directory;
    this.#blobBytesMax = options.blobBytesMax ?? 256 * 1024 * 1024;
    this.#totalBytesMax = options.totalBytesMax ?? 1024 * 1024 * 1024;
  }

  open(): BlobWriter {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const path = join(this.#directory, `new-${process.pid}-${randomBytes(6).toString("hex")}`);
    return new BlobFile(path, this.#blobBytesMax, (hash, bytes) => this.#keep(path, hash, bytes));
  }

  /** By the hash or its first 8 or more characters. Throws `NOT_FOUND`; `CONFLICT` where several begin so. */
  find(hash: string): { readonly hash: string; readonly bytes: number; readonly chunks: AsyncIterable<Uint8Array> } {
    const name = this.#nameOf(hash);
    const path = join(this.#directory, name.slice(0, 2), name);
    const now = new Date();
    utimesSync(path, now, now);
    return { hash: name, bytes: statSync(path).size, chunks: createReadStream(path) };
  }

  #nameOf(hash: string): string {
    if (!new RegExp(`^[0-9a-f]{${HASH_PREFIX_MIN},64}$`).test(hash)) throw notFound(hash);
    const names = namesIn(join(this.#directory, hash.slice(0, 2))).filter((name) => name.startsWith(hash));
    if (names.length > 1)
      throw new LecternError("CONFLICT", `"${hash}" is the beginning of ${names.length} hashes: type more of it`);
    const [name] = names;
    if (name === undefined) throw notFound(hash);
    return name;
  }

  #keep(path: string, hash: string, bytes: number): void {
    const folder = join(this.#directory, hash.slice(0, 2));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    renameSync(path, join(folder, hash));
    this.#unswept += bytes;
    // Looking through it costs a look at each file: not for each small blob.
    if (this.#unswept < this.#totalBytesMax / 16) return;
    this.#unswept = 0;
    this.#sweep(hash);
  }

  /** Removes what is over the limit, but never the blob that was just made. */
  #sweep(newest: string): void {
    const blobs = namesIn(this.#directory)
      .filter((folder) => /^[0-9a-f]{2}$/.test(folder))
      .flatMap((folder) => namesIn(join(this.#directory, folder)).map((name) => join(this.#directory, folder, name)))
      .flatMap((path) => fileFacts(path) ?? [])
      .toSorted((one, other) => other.usedMs - one.usedMs);
    let total = 0;
    for (const { bytes, path } of blobs) {
      total += bytes;
      if (total > this.#totalBytesMax && !path.endsWith(newest)) rmSync(path, { force: true });
    }
    for (const name of namesIn(this.#directory).filter((each) => each.startsWith("new-"))) {
      const path = join(this.#directory, name);
      const facts = fileFacts(path);
      if (facts !== undefined && Date.now() - facts.usedMs > unitMs.d) rmSync(path, { force: true });
    }
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Undefined where another process has removed it meanwhile. */
function fileFacts(path: string): { path: string; bytes: number; usedMs: number } | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? undefined : { path, bytes: stat.size, usedMs: stat.mtimeMs };
}

const notFound = (hash: string): LecternError =>
  new LecternError("NOT_FOUND", `Cannot find blob "${hash}": it was never stored, or was removed to make room`);
