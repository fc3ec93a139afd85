/** Verifies every record of a journal, also while it is written, and changes nothing. */
import { statSync } from "node:fs";
import { LecternError } from "../core/errors.ts";
import { inspectSegment } from "./repair.ts";
import { listSegments, segmentPath, type Segment } from "./segments.ts";
import { isWriterLocked } from "./writer-lock.ts";

interface JournalDamage {
  /** The missing offsets. */
  readonly from: number;
  readonly to: number;
  /** `to - from` */
  readonly bytes: number;
  /** Path of the damaged segment; null if the file is missing. */
  readonly file: string | null;
}

export interface JournalCheck {
  /** Oldest offset; what is before it was trimmed. */
  readonly start: number;
  readonly end: number;
  readonly records: number;
  readonly segments: number;
  /** On disk, of all segments. */
  readonly bytes: number;
  /** At most `DAMAGES_MAX`, by offset. */
  readonly damaged: readonly JournalDamage[];
  /** Bytes behind the last record that are not a record, such as after a power loss. The next writer moves them to a `.torn` file. */
  readonly tornBytes: number;
}

export interface JournalCheckOptions {
  /** Where the journal ended when its session ended. */
  readonly end?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each segment, with its bytes on disk. */
  readonly onProgress?: (bytes: number) => void;
}

const DAMAGES_MAX = 10_000;

/**
 * @throws LecternError `NOT_FOUND` if there is no journal in the directory
 */
export async function checkJournal(directory: string, options: JournalCheckOptions = {}): Promise<JournalCheck> {
  const segments = listSegments(directory);
  const [first] = segments;
  const damaged: JournalDamage[] = [];
  const note = (from: number, to: number, file: string | null): void => {
    if (to > from && damaged.length < DAMAGES_MAX) damaged.push({ from, to, bytes: to - from, file });
  };
  let start = first?.base ?? 0;
  let end = start;
  let [records, bytes, tornBytes] = [0, 0, 0];
  for (const [index, { base }] of segments.entries()) {
    options.signal?.throwIfAborted();
    const next = segments[index + 1]?.base;
    const found = await inspectSegment(directory, { base, next }).catch(goneOrThrow);
    if (found === undefined && records === 0 && isTrimmed(directory, base)) {
      start = end = next ?? base;
      continue;
    }
    const file = fileOf(directory, base);
    for (const { from, to } of found?.damaged ?? []) note(from, to, file?.path ?? null);
    const rest = found === undefined ? 0 : found.size - found.position;
    end = found?.offset ?? base;
    if (next !== undefined) note(end, next, found === undefined || rest === 0 ? null : (file?.path ?? null));
    else if (rest > 0 && !isWriterLocked(directory)) tornBytes = rest;
    if (next === undefined && options.end !== undefined) note(end, options.end, rest > 0 ? (file?.path ?? null) : null);
    records += found?.records ?? 0;
    bytes += file?.bytes ?? 0;
    options.onProgress?.(file?.bytes ?? 0);
  }
  const known = Math.max(end, options.end ?? 0);
  return { start, end: known, records, segments: segments.length, bytes, damaged, tornBytes };
}

function goneOrThrow(error: unknown): undefined {
  if (error instanceof LecternError && error.code === "NOT_FOUND") return undefined;
  throw error;
}

/** Retention has removed the segment since it was listed. */
const isTrimmed = (directory: string, base: number): boolean =>
  listSegments(directory).every((segment) => segment.base > base);

function fileOf(directory: string, base: number): { path: string; bytes: number } | undefined {
  for (const suffix of ["seg", "zseg"] as const satisfies readonly Segment["suffix"][]) {
    const path = segmentPath(directory, base, suffix);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined) return { path, bytes: found.size };
  }
  return undefined;
}
