/**
 * The sparse index of a segment: one entry for its first frame and for the first frame after each 64 KiB.
 * It is the `.idx` file beside the segment and only a hint: the frame that an entry names is checked before use.
 * Without it, a reader walks the headers of the segment once.
 *
 * An entry has 32 bytes, big-endian: offset u64, position in the plain segment u64, time in microseconds u64,
 * reserved u32, CRC-32 of the 28 bytes before it.
 */
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { segmentPath } from "./segments.ts";

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

/** The entries before the first one that is damaged or not in ascending order. */
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

/** The position in the plain segment of the frame that begins at `offset`. */
export interface FramePosition {
  readonly offset: number;
  readonly position: number;
}

/** An index in memory, 16 bytes per entry. Each walk over headers beyond its last entry extends it. */
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

  /** Reads the file again: the writer of a running session appends to it. */
  reload(): void {
    const entries = readIndex(this.#directory, this.#base);
    const last = entries.at(-1);
    if (last === undefined || last.offset <= (this.#offsets.at(-1) ?? -1)) return;
    this.#offsets = entries.map((entry) => entry.offset);
    this.#positions = entries.map((entry) => entry.position);
  }

  /** In the order of the segment. Each is a hint. */
  get entries(): readonly FramePosition[] {
    return this.#offsets.map((offset, index) => ({ offset, position: this.#positions[index] ?? 0 }));
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

  /** The last entry, where a walk to the end of the segment starts. */
  get last(): FramePosition {
    return this.find(Number.MAX_SAFE_INTEGER);
  }

  /** Adds a frame found by a walk over the headers. */
  learn(frame: FramePosition): void {
    const last = this.#positions.at(-1);
    if (last !== undefined && frame.position - last < indexEveryBytes) return;
    this.#offsets.push(frame.offset);
    this.#positions.push(frame.position);
  }
}

/** The entries of the index file beside a segment; empty if it cannot be read. */
export function readIndex(directory: string, base: number): IndexEntry[] {
  try {
    return decodeIndex(readFileSync(segmentPath(directory, base, "idx"))).filter((entry) => entry.offset >= base);
  } catch {
    // It is a hint: one that is missing or cannot be read costs time, and no record.
    return [];
  }
}

/** Least recently used indexes of the whole process: at most 64, of about 16 KiB each. */
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
