/** Journal records as one batch for the screen worker: a pure step of the screen view. */
import type { JournalRecord } from "../protocol/records.ts";
import type { BatchPiece } from "./screen-messages.ts";

/** Offsets that are left out, because their output broke the emulator. */
export interface SkippedRange {
  readonly from: number;
  readonly to: number;
}

export interface Batch {
  readonly pieces: readonly BatchPiece[];
  /** A copy: it moves to another thread. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the next batch starts. */
  readonly next: number;
}

/** `from` is where the records were asked for: a first record behind it means that the journal was trimmed. */
export function batchOf(records: readonly JournalRecord[], from: number, skipped: readonly SkippedRange[]): Batch {
  const pieces: BatchPiece[] = [];
  const chunks: Uint8Array[] = [];
  let next = from;
  for (const record of records) {
    if (record.offset > next) pieces.push(pieceOf(record, "gap", { offset: next, length: 0 }));
    next = record.offset + record.payload.length;
    if (record.type === "resize") pieces.push({ ...pieceOf(record, "resize"), ...sizeOf(record.payload) });
    else if (record.type === "gap") pieces.push(pieceOf(record, "gap"));
    else if (record.type === "output") {
      for (const part of partsOf(record, skipped)) {
        const { offset, length } = part;
        const start = offset - record.offset;
        pieces.push(pieceOf(record, part.isSkipped ? "skip" : "output", { offset, length }));
        if (!part.isSkipped) chunks.push(record.payload.subarray(start, start + length));
      }
    }
  }
  return { pieces, bytes: concatenate(chunks), next };
}

function pieceOf(
  record: JournalRecord,
  type: BatchPiece["type"],
  { offset, length }: { offset: number; length: number } = { offset: record.offset, length: record.payload.length },
): BatchPiece {
  return { type, offset, length, timeUs: record.timeUs, columns: 0, rows: 0 };
}

function sizeOf(payload: Uint8Array): { columns: number; rows: number } {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  return payload.length < 4 ? { columns: 80, rows: 24 } : { columns: view.getUint16(0), rows: view.getUint16(2) };
}

interface Part {
  readonly offset: number;
  readonly length: number;
  readonly isSkipped: boolean;
}

/** The record cut at the ranges, which ascend. */
function partsOf({ offset, payload }: JournalRecord, skipped: readonly SkippedRange[]): Part[] {
  const end = offset + payload.length;
  const parts: Part[] = [];
  let at = offset;
  for (const range of skipped) {
    const from = Math.max(range.from, at);
    const to = Math.min(range.to, end);
    if (from >= to) continue;
    parts.push(
      { offset: at, length: from - at, isSkipped: false },
      { offset: from, length: to - from, isSkipped: true },
    );
    at = to;
  }
  parts.push({ offset: at, length: end - at, isSkipped: false });
  return parts.filter(({ length }) => length > 0);
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
