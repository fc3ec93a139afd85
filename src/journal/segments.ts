/** The files of one journal: a directory of segments, each named after the offset of its first record. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LecternError } from "../core/errors.ts";

/**
 * - `.seg` consecutive frames
 * - `.zseg` the same, compressed (`compress.ts`)
 * - `.idx` the sparse index (`segment-index.ts`)
 * - `.torn` bytes that a repair cut off
 */
export type SegmentSuffix = "seg" | "zseg" | "idx" | "torn";

export interface Segment {
  /** Offset of its first record. */
  readonly base: number;
  readonly suffix: "seg" | "zseg";
}

export const segmentPath = (directory: string, base: number, suffix: SegmentSuffix): string =>
  join(directory, `${base.toString(16).padStart(16, "0")}.${suffix}`);

const namePattern = /^([0-9a-f]{16})\.(seg|zseg|idx|torn)$/;

/** All files whose name is that of a journal file. */
export function listFiles(directory: string): { base: number; suffix: SegmentSuffix; path: string }[] {
  return readNames(directory).flatMap((name) => {
    const match = namePattern.exec(name);
    if (match === null) return [];
    return [
      { base: Number.parseInt(match[1] ?? "", 16), suffix: match[2] as SegmentSuffix, path: join(directory, name) },
    ];
  });
}

/**
 * Segments by offset. If a segment exists in both forms (compression was killed in its last step),
 * the plain one is used.
 *
 * @throws LecternError `NOT_FOUND` if the directory does not exist
 */
export function listSegments(directory: string): Segment[] {
  const byBase = new Map<number, Segment>();
  for (const { base, suffix } of listFiles(directory)) {
    if (suffix === "seg" || (suffix === "zseg" && !byBase.has(base))) byBase.set(base, { base, suffix });
  }
  return [...byBase.values()].toSorted((left, right) => left.base - right.base);
}

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new LecternError("NOT_FOUND", `Cannot open journal "${directory}": there is no such directory`, { cause });
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";
