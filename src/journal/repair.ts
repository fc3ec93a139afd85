/**
 * Repairs a journal that a writer opens: keeps everything up to the last intact record and cuts off what follows it. Damage before
 * that record stays in the file, where readers pass it, because the records behind it keep their positions.
 */
import { closeSync, ftruncateSync, openSync, renameSync, writeFileSync } from "node:fs";
import { LecternError } from "../core/errors.ts";
import { surveySegment, type DamagedPart } from "./damage.ts";
import { runAsync } from "./read-steps.ts";
import { SegmentFile } from "./segment-file.ts";
import { encodeIndex, indexEveryBytes, readIndex, type IndexEntry } from "./segment-index.ts";
import { segmentPath, type Segment } from "./segments.ts";

/** Bytes after the last intact record that were cut off: part of a record after a crash, or records of which none is intact. */
export interface RepairReport {
  /** The end of the journal after the repair. */
  readonly offset: number;
  readonly cutBytes: number;
  /** A file with the cut bytes; null if they were all zero, as after a power loss. */
  readonly savedTo: string | null;
}

export interface SegmentEnd {
  readonly offset: number;
  readonly position: number;
  readonly timeUs: number;
  /** The last record is the `exit` record. */
  readonly ended: boolean;
  readonly index: readonly IndexEntry[];
  readonly records: number;
  readonly damaged: readonly DamagedPart[];
  /** Of the plain form. Bytes between `position` and here are not an intact record. */
  readonly size: number;
}

/**
 * Checks every frame of a segment and builds its index.
 *
 * @throws LecternError `NOT_FOUND` if the segment was removed
 */
export async function inspectSegment(
  directory: string,
  segment: Pick<Segment, "base"> & { readonly next: number | undefined },
): Promise<SegmentEnd> {
  const file = SegmentFile.openAny(directory, segment.base);
  if (file === undefined) throw new LecternError("NOT_FOUND", `Cannot read segment "${segment.base}": it was removed`);
  const index: IndexEntry[] = [];
  let nextPosition = 0;
  let records = 0;
  const visit = (frame: { offset: number; position: number }, timeUs: number): void => {
    records += 1;
    if (frame.position < nextPosition) return;
    nextPosition = frame.position + indexEveryBytes;
    index.push({ ...frame, timeUs });
  };
  try {
    const landmarks = { entries: readIndex(directory, segment.base), nextBase: segment.next };
    const { offset, position, last, damaged } = await runAsync(surveySegment(file, landmarks, visit));
    const ended = last?.type === "exit";
    return { offset, position, timeUs: last?.timeUs ?? 0, ended, index, records, damaged, size: file.size };
  } finally {
    file.release();
  }
}

/** Truncates the active segment after its last complete record and rewrites its index. Undefined if nothing was cut. */
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

/** Atomically, because other processes may be reading it. */
export function replaceIndex(directory: string, base: number, entries: readonly IndexEntry[]): void {
  const path = segmentPath(directory, base, "idx");
  writeFileSync(`${path}.tmp`, encodeIndex(entries), { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

/** The bytes from `from` on: hardly more than `segmentBytesMax`. */
async function readRest(directory: string, base: number, from: number): Promise<Uint8Array> {
  const file = SegmentFile.open(directory, { base, suffix: "seg" });
  if (file === undefined) return new Uint8Array(0);
  try {
    const rest = new Uint8Array(file.size - from);
    return rest.subarray(0, await file.read(from, rest));
  } finally {
    file.release();
  }
}
