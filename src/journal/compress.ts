/**
 * Compresses sealed segments on the thread pool. The daemon runs it, never the writer.
 *
 * The replacement is atomic for readers: the compressed file is written under another name, synced and renamed, and only
 * then is the plain one unlinked. A reader that has the plain one open continues to read it.
 */
import { open, rename, rm, unlink, type FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { LecternError } from "../core/errors.ts";
import { blockBytes, encodeSeekTable } from "./compressed-blocks.ts";
import { inspectSegment, replaceIndex } from "./repair.ts";
import { encodeIndex, readIndex, type IndexEntry } from "./segment-index.ts";
import { isMissing, listSegments, segmentPath } from "./segments.ts";
import { isWriterLocked } from "./writer-lock.ts";

const compressBlock = promisify(zstdCompress);

export interface CompressOptions {
  readonly signal?: AbortSignal;
  /** Also the last segment, for a session that has ended. Skipped while a process has the journal open for writing. */
  readonly includeLast?: boolean;
}

export interface CompressReport {
  readonly segments: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Offsets of segments that were not compressed because they contain damaged records. */
  readonly skipped: readonly number[];
}

/**
 * Compresses every plain segment except the last (zstd level 1). Stops between two blocks when the signal is aborted:
 * finished segments stay compressed, and the current one is unchanged.
 */
export async function compressSealed(directory: string, options: CompressOptions = {}): Promise<CompressReport> {
  const segments = listSegments(directory);
  const withLast = options.includeLast === true && !isWriterLocked(directory);
  const sealed = withLast ? segments : segments.slice(0, -1);
  const report = { segments: 0, bytesBefore: 0, bytesAfter: 0, skipped: [] as number[] };
  for (const { base, suffix } of sealed) {
    if (options.signal?.aborted === true) break;
    if (suffix === "zseg") continue;
    const sizes = await compressSegment(directory, base, options.signal).catch(goneOrThrow);
    if (sizes === "aborted") break;
    if (sizes === "gone") continue;
    if (sizes === "damaged") {
      report.skipped.push(base);
      continue;
    }
    report.segments += 1;
    report.bytesBefore += sizes.before;
    report.bytesAfter += sizes.after;
  }
  return report;
}

type Outcome = { readonly before: number; readonly after: number } | "damaged" | "aborted";

/** Retention may remove a segment before it is compressed. */
function goneOrThrow(error: unknown): "gone" {
  if (isMissing(error) || (error instanceof LecternError && error.code === "NOT_FOUND")) return "gone";
  throw error;
}

async function compressSegment(directory: string, base: number, signal: AbortSignal | undefined): Promise<Outcome> {
  const plain = segmentPath(directory, base, "seg");
  const compressed = segmentPath(directory, base, "zseg");
  const end = await inspectSegment(directory, { base, next: undefined });
  const source = await open(plain, "r");
  try {
    const { size } = await source.stat();
    if (size !== end.position || size === 0 || end.damaged.length > 0) return "damaged";
    const after = await writeBlocks({ source, path: `${compressed}.tmp`, size, signal });
    if (after === undefined) return "aborted";
    if (!sameEntries(readIndex(directory, base), end.index)) replaceIndex(directory, base, end.index);
    await rename(`${compressed}.tmp`, compressed);
    await removePlain(plain, [compressed, segmentPath(directory, base, "idx")]);
    return { before: size, after };
  } finally {
    await source.close();
    await rm(`${compressed}.tmp`, { force: true });
  }
}

/** The size of the compressed file in bytes; undefined if the signal was aborted. */
async function writeBlocks(job: {
  readonly source: FileHandle;
  readonly path: string;
  readonly size: number;
  readonly signal: AbortSignal | undefined;
}): Promise<number | undefined> {
  const target = await open(job.path, "w", 0o600);
  const blocks: { compressed: number; plain: number }[] = [];
  const buffer = new Uint8Array(blockBytes);
  try {
    let written = 0;
    for (let position = 0; position < job.size; position += blockBytes) {
      if (job.signal?.aborted === true) return undefined;
      const length = Math.min(blockBytes, job.size - position);
      await job.source.read(buffer, 0, length, position);
      const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 };
      const block = await compressBlock(buffer.subarray(0, length), { params });
      await target.writeFile(block);
      blocks.push({ compressed: block.length, plain: length });
      written += block.length;
    }
    const table = encodeSeekTable(blocks);
    await target.writeFile(table);
    await target.sync();
    return written + table.length;
  } finally {
    await target.close();
  }
}

/** If the writer's retention has removed the segment meanwhile, its other files are removed as well. */
async function removePlain(plain: string, others: readonly string[]): Promise<void> {
  try {
    await unlink(plain);
  } catch (error) {
    if (!isMissing(error)) throw error;
    for (const path of others) await rm(path, { force: true });
  }
}

const sameEntries = (left: readonly IndexEntry[], right: readonly IndexEntry[]): boolean =>
  Buffer.from(encodeIndex(left)).equals(encodeIndex(right));
