/**
 * The sparse index of a segment: one entry for its first frame and then for the first frame after each 64 KiB.
 * It lies beside the segment as `.idx`, is only ever a hint (who uses an entry checks the frame that it names), and
 * can be left out: a reader then walks the headers of the segment once.
 *
 * An entry has 32 bytes, big-endian: offset u64, position in the plain segment u64, time u64 in microseconds,
 * reserved u32, CRC-32 of the 28 bytes before it.
 */
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { isMissing, segmentPath } from "./segments.ts";

export const indexEveryBytes = 64 * 1024;
const entryBytes = 32;

export interface IndexEntry {
  readonly offset: number;
  readonly position: number;
  readonly timeUs: number;
}

export function encodeIndex(entries: readonly IndexEntry[]): Uint8Array {
  const bytes = new Uint8Array(entries.length * entryBytes);
  const view = new DataView(bytes.buffer);
  for (const [index, entry] of entries.entries()) {
    const at = index * entryBytes;
    view.setBigUint64(at, BigInt(entry.offset));
    view.setBigUint64(at + 8, BigInt(entry.position));
    view.setBigUint64(at + 16, BigInt(entry.timeUs));
    view.setUint32(at + 28, crc32(bytes.subarray(at, at + 28)));
  }
  return bytes;
}

/** The entries up to the first that is damaged or does not ascend. */
export function decodeIndex(bytes: Uint8Array): IndexEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: IndexEntry[] = [];
  for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
    if (view.getUint32(at + 28) !== crc32(bytes.subarray(at, at + 28))) break;
    const entry = { offset: number64(view, at), position: number64(view, at + 8), timeUs: number64(view, at + 16) };
    const last = entries.at(-1);
    if (last !== undefined && (entry.offset <= last.offset || entry.position <= last.position)) break;
    entries.push(entry);
  }
  return entries;
}

const number64 = (view: DataView, at: number): number => view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);

/** Where the frame that begins at `offset` lies. */
export interface FramePosition {
  readonly offset: number;
  readonly position: number;
}

/** An index in memory: 16 bytes per entry. It learns from every walk over headers behind its last entry. */
export class SegmentIndex {
  readonly #directory: string;
  readonly #base: number;
  #offsets: number[] = [];
  #positions: number[] = [];

  constructor(directory: string, base: number) {
    this.#directory = directory;
    this.#base = base;
    this.reload();
  }

  /** Reads the file again: the writer of a session that runs adds to it. */
  reload(): void {
    const entries = readIndex(this.#directory, this.#base);
    const last = entries.at(-1);
    if (last === undefined || last.offset <= (this.#offsets.at(-1) ?? -1)) return;
    this.#offsets = entries.map((entry) => entry.offset);
    this.#positions = entries.map((entry) => entry.position);
  }

  /** Forgets everything, after an entry turned out to be wrong. */
  clear(): void {
    this.#offsets = [];
    this.#positions = [];
  }

  /** The last known frame that begins at or before `offset`. */
  find(offset: number): FramePosition {
    let low = -1;
    let high = this.#offsets.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#offsets[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low === -1
      ? { offset: this.#base, position: 0 }
      : { offset: this.#offsets[low] ?? 0, position: this.#positions[low] ?? 0 };
  }

  /** The last entry: the walk to the end of the segment starts there. */
  get last(): FramePosition {
    return this.find(Number.MAX_SAFE_INTEGER);
  }

  /** Notes a frame that a walk over the headers has found. */
  learn(frame: FramePosition): void {
    const last = this.#positions.at(-1);
    if (last !== undefined && frame.position - last < indexEveryBytes) return;
    this.#offsets.push(frame.offset);
    this.#positions.push(frame.position);
  }
}

/** The entries of the index file beside a segment; none where there is no file. */
export function readIndex(directory: string, base: number): IndexEntry[] {
  try {
    return decodeIndex(readFileSync(segmentPath(directory, base, "idx"))).filter((entry) => entry.offset >= base);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Indexes that are kept for the next reader, for the whole process: at most 64 of about 16 KiB each. */
const cachedIndexesMax = 64;
const cache = new Map<string, SegmentIndex>();

export function sharedIndex(directory: string, base: number): SegmentIndex {
  const key = `${base} ${directory}`;
  const index = cache.get(key) ?? new SegmentIndex(directory, base);
  cache.delete(key);
  cache.set(key, index);
  if (cache.size > cachedIndexesMax) cache.delete(cache.keys().next().value ?? "");
  return index;
}

/** The next reader reads the file again. */
export function forgetIndex(directory: string, base: number): void {
  cache.delete(`${base} ${directory}`);
}
