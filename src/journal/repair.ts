/** What a writer finds when it opens a journal: the exact prefix of whole records, and what lay behind it. */
import { closeSync, ftruncateSync, openSync, renameSync, writeFileSync } from "node:fs";
import { LecternError } from "../core/errors.ts";
import { runAsync, scanFrames } from "./read-steps.ts";
import { SegmentFile } from "./segment-file.ts";
import { encodeIndex, indexEveryBytes } from "./segment-index.ts";
import type { IndexEntry } from "./segment-index.ts";
import { segmentPath } from "./segments.ts";
import type { Segment } from "./segments.ts";

/** Bytes behind the last whole record that were cut off: half a record after a crash, or whatever came behind damage. */
export interface RepairReport {
  /** The end of the journal after the repair. */
  readonly offset: number;
  readonly cutBytes: number;
  /** A file with the cut bytes; null where they were all zero, as a power loss leaves them. */
  readonly savedTo: string | null;
}

export interface SegmentEnd {
  readonly offset: number;
  readonly position: number;
  readonly timeUs: number;
  /** The last record is the `exit`. */
  readonly ended: boolean;
  readonly index: readonly IndexEntry[];
}

/**
 * Checks every frame of a segment from its start and gathers its index.
 *
 * @throws LecternError `NOT_FOUND` when the segment went away
 */
export async function inspectSegment(directory: string, segment: Segment): Promise<SegmentEnd> {
  const file = SegmentFile.open(directory, segment);
  if (file === undefined) throw new LecternError("NOT_FOUND", `Cannot read segment "${segment.base}": it went away`);
  const index: IndexEntry[] = [];
  let nextPosition = 0;
  const visit = (frame: { offset: number; position: number }, timeUs: number): void => {
    if (frame.position < nextPosition) return;
    nextPosition = frame.position + indexEveryBytes;
    index.push({ ...frame, timeUs });
  };
  try {
    const scan = await runAsync(scanFrames(file, { offset: segment.base, position: 0 }, visit));
    const { offset, position, last } = scan;
    return { offset, position, timeUs: last?.timeUs ?? 0, ended: last?.type === "exit", index };
  } finally {
    file.release();
  }
}

/** Cuts the active segment behind its last whole record and writes its index anew. Undefined: there was nothing to cut. */
export async function repairActive(
  directory: string,
  base: number,
  end: SegmentEnd,
): Promise<RepairReport | undefined> {
  replaceIndex(directory, base, end.index);
  const rest = await readRest(directory, base, end.position);
  if (rest.length === 0) return undefined;
  const savedTo = rest.every((byte) => byte === 0) ? null : segmentPath(directory, end.offset, "torn");
  if (savedTo !== null) writeFileSync(savedTo, rest, { mode: 0o600 });
  const descriptor = openSync(segmentPath(directory, base, "seg"), "r+");
  try {
    ftruncateSync(descriptor, end.position);
  } finally {
    closeSync(descriptor);
  }
  return { offset: end.offset, cutBytes: rest.length, savedTo };
}

/** At once or not at all, because readers of other processes may be reading it. */
export function replaceIndex(directory: string, base: number, entries: readonly IndexEntry[]): void {
  const path = segmentPath(directory, base, "idx");
  writeFileSync(`${path}.tmp`, encodeIndex(entries), { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

const restStepBytes = 1024 * 1024;

/** A segment is at most a little larger than `segmentBytesMax`, and so is its rest. */
async function readRest(directory: string, base: number, from: number): Promise<Uint8Array> {
  const file = SegmentFile.open(directory, { base, suffix: "seg" });
  if (file === undefined) return new Uint8Array(0);
  const parts: Uint8Array[] = [];
  try {
    for (let position = from; ;) {
      const part = new Uint8Array(restStepBytes);
      const count = await file.read(position, part);
      if (count === 0) break;
      parts.push(part.subarray(0, count));
      position += count;
    }
  } finally {
    file.release();
  }
  return Buffer.concat(parts);
}
