import { FrameReader, type Frame } from "../core/screen/frame.ts";
import { Screen } from "../core/screen/screen.ts";
import { batchOf } from "../live/view-batch.ts";
import { decodeMark } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";

export function* framesOf(records: readonly JournalRecord[]): Generator<Frame> {
  const reader = new FrameReader(new Screen({ columns: 80, rows: 24 }));
  for (const record of records) yield* framesAt(reader, record);
  yield* reader.settle(Infinity);
}

function* framesAt(reader: FrameReader, record: JournalRecord): Generator<Frame> {
  yield* reader.settle(record.timeUs);
  if (record.type === "output") yield* reader.output(record.payload, record.offset, record.timeUs).frames;
  for (const { type, columns, rows } of batchOf([record], record.offset, []).pieces)
    if (type === "resize") yield* reader.resize(columns, rows);
  const mark = record.type === "mark" ? decodeMark(record.payload) : null;
  if (mark?.type === "session-start") yield* reader.resize(mark.columns, mark.rows);
}
