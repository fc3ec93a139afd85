/** Removes segments that are too old or exceed the size limit. */
import { statSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { FrameBytes, headerBytes } from "./frame.ts";
import { SegmentFile } from "./segment-file.ts";
import { isMissing, listFiles, listSegments, segmentPath, type Segment } from "./segments.ts";

export interface RetentionLimits {
  /** Bytes of all segments on disk. Checked when a segment is sealed, so it can be exceeded by about one segment. */
  readonly retainBytesMax?: number | undefined;
  /** A segment is removed if its newest record is older than this. */
  readonly retainAgeMs?: number | undefined;
}

/** Whole segments are removed, so a journal is four of them: what it keeps is exact to a quarter. */
const SEGMENTS_RETAINED = 4;
const SEGMENT_BYTES_MIN = 64 * 1024;
const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;

/** The length at which a segment of a journal is sealed that keeps `retainBytesMax`. */
export const segmentBytesFor = (retainBytesMax = Number.POSITIVE_INFINITY): number =>
  Math.min(SEGMENT_BYTES_MAX, Math.max(SEGMENT_BYTES_MIN, Math.floor(retainBytesMax / SEGMENTS_RETAINED)));

/**
 * Removes the oldest sealed segments until the limits hold, except for the last segment. Readers get a `gap` record
 * (`trimmed`) in their place. Returns the new start of the journal.
 */
export async function trimSegments(directory: string, limits: RetentionLimits, nowUs: number): Promise<number> {
  const segments = listSegments(directory);
  let bytes = segments.reduce((sum, segment) => sum + sizeOf(directory, segment), 0);
  let removed = 0;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next === undefined) break;
    const tooMany = limits.retainBytesMax !== undefined && bytes > limits.retainBytesMax;
    const tooOld =
      limits.retainAgeMs !== undefined &&
      (await firstTimeUs(directory, next, nowUs)) <= nowUs - limits.retainAgeMs * 1000;
    if (!tooMany && !tooOld) break;
    bytes -= sizeOf(directory, segment);
    removed = index + 1;
  }
  const start = segments[removed]?.base ?? 0;
  if (removed > 0) await removeBefore(directory, start);
  return start;
}

/** The oldest first, so a crash in between leaves no hole. */
async function removeBefore(directory: string, start: number): Promise<void> {
  const old = listFiles(directory).filter(({ base, suffix }) => (suffix === "torn" ? base <= start : base < start));
  for (const { path } of old.toSorted((left, right) => left.base - right.base)) {
    await unlink(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
}

const sizeOf = (directory: string, segment: Segment): number =>
  statSync(segmentPath(directory, segment.base, segment.suffix), { throwIfNoEntry: false })?.size ?? 0;

/** The time of the first record; no record of the previous segment is newer. */
async function firstTimeUs(directory: string, segment: Segment, otherwise: number): Promise<number> {
  const file = SegmentFile.openAny(directory, segment.base);
  if (file === undefined) return otherwise;
  try {
    const header = new FrameBytes(new Uint8Array(headerBytes));
    const count = await file.read(0, header.bytes);
    return count === headerBytes && header.frameLength(0, segment.base) > 0 ? header.timeUs(0) : otherwise;
  } finally {
    file.release();
  }
}
