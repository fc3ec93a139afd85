/**
 * Reads the frames of a journal as they are on disk, for a copy that is equal byte for byte. A read stops at the end of a segment, so the same
 * range always gives the same bytes.
 */
import { crc32 } from "node:zlib";
import { seekIntact } from "./damage.ts";
import { headerBytes, type FrameBytes } from "./frame.ts";
import type { ReaderPosition } from "./open-readers.ts";
import { runAsync, walkHeaders, type ReadSteps } from "./read-steps.ts";
import { SegmentFile } from "./segment-file.ts";
import { sharedIndex } from "./segment-index.ts";
import { listSegments, type Segment } from "./segments.ts";

export interface RawRange {
  /** Where a frame begins, or what retention has removed. */
  readonly offset: number;
  /** All records before it are complete on disk. */
  readonly end: number;
  /** Of the bytes that are returned; a longer first frame is returned alone. */
  readonly bytesMax: number;
}

/**
 * - `trimmed`: retention had removed what is missing.
 * - `damaged`: the journal has no intact frame there.
 * - `too-large`: frames are longer than `frameBytesMax`.
 */
type RawGapReason = "trimmed" | "damaged" | "too-large";

export interface RawFrames {
  /** Of the first frame; greater than requested only with a `gapReason`. */
  readonly offset: number;
  /** Behind the last frame. */
  readonly next: number;
  readonly gapReason?: RawGapReason;
  /** Whole frames; none if there are none yet. */
  readonly bytes: Uint8Array;
  readonly crc: number;
}

interface Place {
  readonly base: number;
  readonly offset: number;
  readonly position: number;
}

export class RawFrameReader {
  readonly #directory: string;
  readonly #frameBytesMax: number;
  /** Behind the last read: without it, each read would search the index. */
  #place: Place | undefined;
  /** The last range without frames, so that the rest of a damaged segment is not searched again and again. */
  #emptyRange = "";

  /** Longer frames are left out, as a gap. */
  constructor(directory: string, { frameBytesMax }: { readonly frameBytesMax: number }) {
    this.#directory = directory;
    this.#frameBytesMax = frameBytesMax;
  }

  /** Starts of the segments. Throws `NOT_FOUND` if the directory does not exist. */
  bases(): number[] {
    return listSegments(this.#directory).map(({ base }) => base);
  }

  /** Whole frames from `offset` on, on the thread pool. One read at a time. Throws what the file system throws. */
  async read(range: RawRange): Promise<RawFrames> {
    return runAsync(this.#read(range));
  }

  *#read({ offset: wanted, end, bytesMax }: RawRange): ReadSteps<RawFrames> {
    const nothing: RawFrames = { offset: wanted, next: wanted, bytes: new Uint8Array(0), crc: 0 };
    const range = `${wanted} ${end}`;
    if (range === this.#emptyRange) return nothing;
    const segments = listSegments(this.#directory);
    let place = yield* this.#seek(wanted, segments);
    let reason: RawGapReason | undefined = place.offset > wanted ? "trimmed" : undefined;
    while (place.offset < end) {
      const file = SegmentFile.openAny(this.#directory, place.base);
      if (file === undefined) break;
      try {
        const found = yield* this.#framesAt({ file, ...place }, { end, bytesMax });
        if (found === "too-large") {
          const { offset, position } = yield* behindFrame({ file, ...place });
          place = { base: place.base, offset, position };
          reason = "too-large";
          continue;
        }
        if (found.bytes.length > 0) {
          this.#place = { base: place.base, offset: found.next, position: place.position + found.bytes.length };
          return { offset: place.offset, ...found, ...(reason === undefined ? {} : { gapReason: reason }) };
        }
        const next = yield* this.#behind({ file, ...place }, segments);
        if (next === undefined) break;
        if (next.offset > place.offset) reason = "damaged";
        place = next;
      } finally {
        file.release();
      }
    }
    this.#emptyRange = range;
    return nothing;
  }

  *#seek(wanted: number, segments: readonly Segment[]): ReadSteps<Place> {
    const kept = this.#place;
    if (kept?.offset === wanted && segments.some(({ base }) => base === kept.base)) return kept;
    const segment = segments.findLast(({ base }) => base <= wanted) ?? segments[0];
    const base = segment?.base ?? wanted;
    const file = segment && SegmentFile.openAny(this.#directory, base);
    if (file === undefined || base >= wanted) {
      file?.release();
      return { base, offset: base, position: 0 };
    }
    try {
      const index = sharedIndex(this.#directory, base);
      const walk = yield* walkHeaders(file, { start: index.find(wanted), until: wanted }, index);
      if (walk.offset === wanted) return { base, offset: wanted, position: walk.position };
      const intact = yield* seekIntact(file, wanted, landmarks(this.#directory, base, segments));
      // Behind the last intact frame: what follows is looked for from here.
      return intact !== undefined && intact.offset >= wanted
        ? { base, ...intact }
        : { base, offset: wanted, position: file.size };
    } finally {
      file.release();
    }
  }

  *#framesAt(
    { file, offset, position }: ReaderPosition,
    { end, bytesMax }: Pick<RawRange, "end" | "bytesMax">,
  ): ReadSteps<Omit<RawFrames, "offset" | "gapReason"> | "too-large"> {
    let chunk = yield { file, position, length: bytesMax };
    const first = chunk.frameLength(0, offset);
    if (first > this.#frameBytesMax) return "too-large";
    if (first > chunk.bytes.length && chunk.bytes.length === bytesMax) chunk = yield { file, position, length: first };
    let at = 0;
    let next = offset;
    while (next < end) {
      const length = chunk.frameLength(at, next);
      if (length <= 0 || at + length > chunk.bytes.length || !chunk.isIntact(at, length)) break;
      if (next + length - headerBytes > end) break;
      at += length;
      next += length - headerBytes;
    }
    const bytes = chunk.bytes.slice(0, at);
    return { next, bytes, crc: crc32(bytes) };
  }

  /** The segment that begins where this one ends, or the first intact frame behind damage. */
  *#behind({ file, offset }: ReaderPosition, segments: readonly Segment[]): ReadSteps<Place | undefined> {
    const exact = segments.find(({ base }) => base === offset && base > file.base);
    if (exact !== undefined) return { base: exact.base, offset, position: 0 };
    const later = segments.find(({ base }) => base > file.base);
    const intact = yield* seekIntact(file, offset, landmarks(this.#directory, file.base, segments));
    if (intact !== undefined && intact.offset > offset) return { base: file.base, ...intact };
    return later === undefined ? undefined : { base: later.base, offset: later.base, position: 0 };
  }
}

function* behindFrame({ file, offset, position }: ReaderPosition): ReadSteps<{ offset: number; position: number }> {
  const header: FrameBytes = yield { file, position, length: headerBytes };
  const length = header.frameLength(0, offset);
  return { offset: offset + length - headerBytes, position: position + length };
}

const landmarks = (directory: string, base: number, segments: readonly Segment[]) => ({
  entries: sharedIndex(directory, base).entries,
  nextBase: segments.find((segment) => segment.base > base)?.base,
});
