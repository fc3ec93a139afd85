/**
 * A compressed segment: independent zstd frames of 256 KiB plain bytes, then a seek table, in the Zstandard Seekable
 * Format 0.1.0 (facebook/zstd, contrib/seekable_format). So `zstd -d` restores the plain segment, and a read at
 * any position costs one block.
 *
 * A block that is damaged reads as zeros, which are no frames, so only its own records are missing. If the seek table is damaged, the blocks are
 * found by the magic number of zstd frames.
 */
import { fstatSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { zstdDecompress, zstdDecompressSync } from "node:zlib";

const readAsync = promisify(read);
const decompress = promisify(zstdDecompress);

/** Plain bytes per block, except for the last one. A read at a random offset decompresses one block; smaller blocks compress worse. */
export const blockBytes = 256 * 1024;

/** https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1: the magic number, little-endian. */
const frameMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

const skippableMagic = 0x184d2a5e;
const tableMagic = Buffer.from([0x5e, 0x2a, 0x4d, 0x18]);
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
  readonly compressed: number[];
  readonly plain: number[];
}

export class CompressedBlocks {
  readonly #descriptor: number;
  readonly #borders: BlockBorders;
  readonly #name = String((filesOpened += 1));

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#borders = readSeekTable(descriptor) ?? findBlocks(descriptor);
  }

  /** Bytes of the plain segment. */
  get size(): number {
    return this.#borders.plain.at(-1) ?? 0;
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
    if (position >= this.size) return -1;
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

  /** Undefined if the block is damaged. */
  #plainSync(index: number): Uint8Array | undefined {
    const { start, buffer } = this.#range(index);
    readSync(this.#descriptor, buffer, 0, buffer.length, start);
    return decompressed(buffer);
  }

  async #plain(index: number): Promise<Uint8Array | undefined> {
    const { start, buffer } = this.#range(index);
    await readAsync(this.#descriptor, buffer, 0, buffer.length, start);
    return await decompress(buffer).catch(() => undefined);
  }

  #cached(index: number): Uint8Array | undefined {
    const key = `${this.#name}:${index}`;
    const block = cache.get(key);
    if (block === undefined) return undefined;
    cache.delete(key);
    cache.set(key, block);
    return block;
  }

  #keep(index: number, found: Uint8Array | undefined): Uint8Array {
    const { plain } = this.#borders;
    const start = plain[index] ?? 0;
    // The checksum of a block confirms its length; for the last one, the table may be wrong.
    if (found !== undefined && index === plain.length - 2) plain[index + 1] = start + found.length;
    const length = (plain[index + 1] ?? start) - start;
    const block = found?.length === length ? found : new Uint8Array(length);
    cache.set(`${this.#name}:${index}`, block);
    if (cache.size > cachedBlocksMax) cache.delete(cache.keys().next().value ?? "");
    return block;
  }
}

function decompressed(block: Uint8Array): Uint8Array | undefined {
  try {
    return zstdDecompressSync(block);
  } catch {
    return undefined;
  }
}

/** Undefined if the table is damaged. */
function readSeekTable(descriptor: number): BlockBorders | undefined {
  const { size } = fstatSync(descriptor);
  if (size < 8 + footerBytes) return undefined;
  const footer = readView(descriptor, size - footerBytes, footerBytes);
  const count = footer.getUint32(0, true);
  const start = size - footerBytes - count * entryBytes;
  if (footer.getUint32(5, true) !== seekableMagic || count > blocksMax || start < 8) return undefined;
  const table = readView(descriptor, start, count * entryBytes);
  const compressed = [0];
  const plain = [0];
  for (let index = 0; index < count; index += 1) {
    const plainBytes = table.getUint32(index * entryBytes + 4, true);
    const isRight = index < count - 1 ? plainBytes === blockBytes : plainBytes > 0 && plainBytes <= blockBytes;
    if (!isRight) return undefined;
    compressed.push((compressed[index] ?? 0) + table.getUint32(index * entryBytes, true));
    plain.push((plain[index] ?? 0) + plainBytes);
  }
  return compressed[count] === start - 8 ? { compressed, plain } : undefined;
}

/** The blocks of a file without a usable seek table. */
function findBlocks(descriptor: number): BlockBorders {
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.from(readView(descriptor, 0, size).buffer);
  const compressed: number[] = [];
  for (let at = bytes.indexOf(frameMagic); at !== -1; at = bytes.indexOf(frameMagic, at + 1)) compressed.push(at);
  const lastStart = compressed.at(-1);
  if (lastStart === undefined) return { compressed: [0], plain: [0] };
  const table = bytes.indexOf(tableMagic, lastStart);
  const end = table === -1 ? size : table;
  const lastBytes = decompressed(bytes.subarray(lastStart, end))?.length ?? blockBytes;
  const plain = compressed.map((_, index) => index * blockBytes);
  return { compressed: [...compressed, end], plain: [...plain, (plain.at(-1) ?? 0) + lastBytes] };
}

function readView(descriptor: number, position: number, length: number): DataView {
  const bytes = new Uint8Array(length);
  readSync(descriptor, bytes, 0, length, position);
  return new DataView(bytes.buffer);
}
