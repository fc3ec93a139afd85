/** Journal records as one batch for the view worker: a pure step of the live view. */
import type { OffsetRange } from "../protocol/damaged-ranges.ts";
import { nextOffset } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import type { BatchPiece } from "./view-messages.ts";

export interface Batch {
  readonly pieces: readonly BatchPiece[];
  /** A copy: it moves to another thread. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly next: number;
}

/** `from` is where the records were asked for: a first record behind it means that records are missing. `skipped` broke the emulator and is not drawn. */
export function batchOf(records: readonly JournalRecord[], from: number, skipped: readonly OffsetRange[]): Batch {
  const pieces: BatchPiece[] = [];
  const chunks: Uint8Array[] = [];
  let next = from;
  for (const record of records) {
    const { offset, timeUs, payload } = record;
    const blank = { offset, timeUs, length: 0, columns: 0, rows: 0 };
    if (offset > next) pieces.push({ ...blank, type: "gap", offset: next });
    next = nextOffset(record);
    if (record.type === "resize") pieces.push({ ...blank, type: "resize", ...sizeOf(payload) });
    else if (record.type === "gap") pieces.push({ ...blank, type: "gap" });
    else if (record.type === "output") pieces.push(...partsOf(record, skipped).map((part) => ({ ...blank, ...part })));
    else pieces.push({ ...blank, type: record.secret ? "secret" : record.type, length: payload.length });
    if (pieces.at(-1)?.length !== 0) chunks.push(payload);
  }
  return { pieces, bytes: concatenate(chunks), next };
}

function sizeOf(payload: Uint8Array): { columns: number; rows: number } {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  return payload.length < 4 ? { columns: 80, rows: 24 } : { columns: view.getUint16(0), rows: view.getUint16(2) };
}

type Part = Pick<BatchPiece, "type" | "offset" | "length">;

/** The output cut at the ranges, which ascend. */
function partsOf({ offset, payload }: JournalRecord, skipped: readonly OffsetRange[]): Part[] {
  const end = offset + payload.length;
  const parts: Part[] = [];
  let at = offset;
  for (const range of skipped) {
    const from = Math.max(range.from, at);
    const to = Math.min(range.to, end);
    if (from >= to) continue;
    parts.push({ type: "output", offset: at, length: from - at }, { type: "skip", offset: from, length: to - from });
    at = to;
  }
  parts.push({ type: "output", offset: at, length: end - at });
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
