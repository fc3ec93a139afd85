/**
 * The files of the audit log. Each names its place in the order, so that one that is missing shows, and the byte of the log at which it
 * begins. The first is `rows.jsonl`: most logs have no other.
 */
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";

export interface AuditSegment {
  readonly name: string;
  /** From 0. */
  readonly ordinal: number;
  /** The byte of the log at which it begins. */
  readonly start: number;
  readonly bytes: number;
}

const FIRST = "rows.jsonl";
const pattern = /^rows\.(\d{6})\.(\d{16})\.jsonl$/;

export const segmentName = (ordinal: number, start: number): string =>
  ordinal === 0 ? FIRST : `rows.${digits(ordinal, 6)}.${digits(start, 16)}.jsonl`;

/** In order. */
export function segmentsIn(directory: string): AuditSegment[] {
  const segments: AuditSegment[] = [];
  for (const name of readdirSync(directory)) {
    const match = name === FIRST ? [name, "0", "0"] : pattern.exec(name);
    if (match === null) continue;
    const { size: bytes } = statSync(join(directory, name));
    segments.push({ name, ordinal: Number(match[1]), start: Number(match[2]), bytes });
  }
  return segments.toSorted((one, other) => one.ordinal - other.ordinal);
}

/** Those that are missing up to `last`, as patterns where their start is not known. */
export function missingSegments(segments: readonly AuditSegment[], last: number): string[] {
  const there = new Set(segments.map(({ ordinal }) => ordinal));
  const missing: string[] = [];
  for (let ordinal = 0; ordinal <= last; ordinal += 1) {
    if (!there.has(ordinal)) missing.push(ordinal === 0 ? FIRST : `rows.${digits(ordinal, 6)}.*.jsonl`);
  }
  return missing;
}

/** Bytes of a segment from `at` on, counted in the segment. */
export function readSegment(
  { directory, name }: { readonly directory: string; readonly name: string },
  at: number,
  bytes: number,
): Buffer {
  const file = openSync(join(directory, name), "r");
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(file, buffer, { position: at }));
  } finally {
    closeSync(file);
  }
}

const digits = (value: number, count: number): string => String(value).padStart(count, "0");
