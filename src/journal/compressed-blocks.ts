/**
 * A compressed segment: independent zstd frames of 256 KiB plain bytes, then a seek table, in the Zstandard Seekable
 * Format 0.1.0 (facebook/zstd, contrib/seekable_format). So `zstd -d` restores the plain segment, and a read at
 * any position costs one block.
 */
import { fstatSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { zstdDecompress, zstdDecompressSync } from "node:zlib";
import { LecternError } from "../core/errors.ts";

const readAsync = promisify(read);
const decompress = promisify(zstdDecompress);

const skippableMagic = 0x184d2a5e;
const seekableMagic = 0x8f92eab1;
const footerBytes = 9;
const entryBytes = 8;

/** As many as a plain segment of 64 GiB; a seek table that claims more is damaged. */
const blocksMax = 262_144;

/** Least recently used plain blocks of all readers of the process: 8 x 256 KiB. */
const cachedBlocksMax = 8;
const cache = new Map<string, Uint8Array>();
let filesOpened = 0;

/** The table after the last block: a skippable zstd frame. Sizes are in bytes, in the order of the blocks. */
export function encodeSeekTable(blocks: readonly { compressed: number; plain: number }[]): Uint8Array {
  const content = blocks.length * entryBytes + footerBytes;
  const bytes = new Uint8Array(8 + content);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, skippableMagic, true);
  view.setUint32(4, content, true);
  for (const [index, block] of blocks.entries()) {
    view.setUint32(8 + index * entryBytes, block.compressed, true);
    view.setUint32(12 + index * entryBytes, block.plain, true);
  }
  view.setUint32(bytes.length - footerBytes, blocks.length, true);
  view.setUint32(bytes.length - 4, seekableMagic, true);
  return bytes;
}

/** Where each block begins in the file (`compressed`) and in the plain segment, and where the last one ends. */
interface BlockBorders {
  readonly compressed: Float64Array;
  readonly plain: Float64Array;
}

export class CompressedBlocks {
  readonly #descriptor: number;
  readonly #borders: BlockBorders;
  readonly #name = String((filesOpened += 1));

  private constructor(descriptor: number, borders: BlockBorders) {
    this.#descriptor = descriptor;
    this.#borders = borders;
  }

  /** @throws LecternError `JOURNAL_CORRUPT` if the seek table is damaged */
  static open(descriptor: number): CompressedBlocks {
    return new CompressedBlocks(descriptor, readSeekTable(descriptor));
  }

  readSync(position: number, target: Uint8Array): number {
    let filled = 0;
    while (filled < target.length) {
      const index = this.#blockAt(position + filled);
      if (index === -1) break;
      const block = this.#cached(index) ?? this.#keep(index, this.#plainSync(index));
      filled += this.#take(index, block, { position: position + filled, target: target.subarray(filled) });
    }
    return filled;
  }

  async read(position: number, target: Uint8Array): Promise<number> {
    let filled = 0;
    while (filled < target.length) {
      const index = this.#blockAt(position + filled);
      if (index === -1) break;
      const block = this.#cached(index) ?? this.#keep(index, await this.#plain(index));
      filled += this.#take(index, block, { position: position + filled, target: target.subarray(filled) });
    }
    return filled;
  }

  /** -1 beyond the end. */
  #blockAt(position: number): number {
    const { plain } = this.#borders;
    if (position >= (plain.at(-1) ?? 0)) return -1;
    let low = 0;
    let high = plain.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((plain[middle] ?? 0) <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  #take(index: number, block: Uint8Array, wanted: { position: number; target: Uint8Array }): number {
    const from = wanted.position - (this.#borders.plain[index] ?? 0);
    const part = block.subarray(from, from + wanted.target.length);
    wanted.target.set(part);
    return part.length;
  }

  #range(index: number): { start: number; buffer: Uint8Array } {
    const start = this.#borders.compressed[index] ?? 0;
    return { start, buffer: new Uint8Array((this.#borders.compressed[index + 1] ?? start) - start) };
  }

  #plainSync(index: number): Uint8Array {
    const { start, buffer } = this.#range(index);
    readSync(this.#descriptor, buffer, 0, buffer.length, start);
    try {
      return zstdDecompressSync(buffer);
    } catch (cause) {
      throw damaged("a block cannot be decompressed", cause);
    }
  }

  async #plain(index: number): Promise<Uint8Array> {
    const { start, buffer } = this.#range(index);
    await readAsync(this.#descriptor, buffer, 0, buffer.length, start);
    try {
      return await decompress(buffer);
    } catch (cause) {
      throw damaged("a block cannot be decompressed", cause);
    }
  }

  #cached(index: number): Uint8Array | undefined {
    const key = `${this.#name}:${index}`;
    const block = cache.get(key);
    if (block === undefined) return undefined;
    cache.delete(key);
    cache.set(key, block);
    return block;
  }

  #keep(index: number, block: Uint8Array): Uint8Array {
    const { plain } = this.#borders;
    if (block.length !== (plain[index + 1] ?? 0) - (plain[index] ?? 0)) throw damaged("a block has the wrong length");
    cache.set(`${this.#name}:${index}`, block);
    if (cache.size > cachedBlocksMax) cache.delete(cache.keys().next().value ?? "");
    return block;
  }
}

function readSeekTable(descriptor: number): BlockBorders {
  const { size } = fstatSync(descriptor);
  const footer = readView(descriptor, size - footerBytes, footerBytes);
  const count = footer.getUint32(0, true);
  const start = size - footerBytes - count * entryBytes;
  if (footer.getUint32(5, true) !== seekableMagic || count > blocksMax || start < 8)
    throw damaged("it has no seek table");
  const table = readView(descriptor, start, count * entryBytes);
  const compressed = new Float64Array(count + 1);
  const plain = new Float64Array(count + 1);
  for (let index = 0; index < count; index += 1) {
    compressed[index + 1] = (compressed[index] ?? 0) + table.getUint32(index * entryBytes, true);
    plain[index + 1] = (plain[index] ?? 0) + table.getUint32(index * entryBytes + 4, true);
  }
  if (compressed[count] !== start - 8) throw damaged("its seek table does not fit its blocks");
  return { compressed, plain };
}

function readView(descriptor: number, position: number, length: number): DataView {
  const bytes = new Uint8Array(length);
  if (position < 0 || readSync(descriptor, bytes, 0, length, position) !== length) throw damaged("it is too short");
  return new DataView(bytes.buffer);
}

function damaged(reason: string, cause?: unknown): LecternError {
  return new LecternError("JOURNAL_CORRUPT", `Cannot read a compressed segment: ${reason}`, { cause });
}
