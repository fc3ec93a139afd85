/** Removes segments that exceed the size limit. */
import { statSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { isMissing, listFiles, listSegments, segmentPath, type Segment } from "./segments.ts";

/** Whole segments are removed, so a journal is four of them: what it keeps is exact to a quarter. */
const SEGMENTS_RETAINED = 4;
const SEGMENT_BYTES_MIN = 64 * 1024;
const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;

/** The length at which a segment of a journal is sealed that keeps `retainBytesMax`. */
export const segmentBytesFor = (retainBytesMax = Number.POSITIVE_INFINITY): number =>
  Math.min(SEGMENT_BYTES_MAX, Math.max(SEGMENT_BYTES_MIN, Math.floor(retainBytesMax / SEGMENTS_RETAINED)));

/**
 * Removes the oldest sealed segments until all have at most `bytesMax` on disk, except for the last segment. Readers get a `gap` record
 * (`trimmed`) in their place. Returns the new start of the journal.
 */
export async function trimSegments(directory: string, bytesMax: number): Promise<number> {
  const segments = listSegments(directory);
  let bytes = segments.reduce((sum, segment) => sum + sizeOf(directory, segment), 0);
  let removed = 0;
  while (bytes > bytesMax && removed < segments.length - 1) {
    const segment = segments[removed];
    if (segment !== undefined) bytes -= sizeOf(directory, segment);
    removed += 1;
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
