import assert from "node:assert/strict";
import { test } from "node:test";
import type { JournalRecord, RecordType } from "../protocol/records.ts";
import { batchOf, type Batch } from "./view-batch.ts";

const record = (offset: number, payload: string, type: RecordType = "output"): JournalRecord => ({
  offset,
  timeUs: 1,
  type,
  secret: false,
  payload: new TextEncoder().encode(payload),
});

const shape = ({ pieces }: Batch): string =>
  pieces.map(({ type, offset, length }) => `${type} ${offset}+${length}`).join(", ");

test("batchOf keeps the order and the bytes of what views look at", () => {
  const records = [record(0, "ab"), record(2, "typed", "input"), record(7, "\0P\0\u0018", "resize"), record(11, "c")];
  const batch = batchOf(records, 0, []);
  assert.equal(shape(batch), "output 0+2, input 2+5, resize 7+0, output 11+1");
  assert.deepEqual([batch.pieces[2]?.columns, batch.pieces[2]?.rows], [80, 24]);
  assert.equal(new TextDecoder().decode(batch.bytes), "abtypedc");
  assert.equal(batch.next, 12);
});

test("batchOf declares what a trimmed journal no longer has", () => {
  assert.equal(shape(batchOf([record(100, "ab")], 50, [])), "gap 50+0, output 100+2");
});

test("batchOf marks the output that is not to be drawn, across records", () => {
  const batch = batchOf([record(0, "abcd"), record(4, "efgh"), record(8, "i")], 0, [
    { from: 1, to: 2 },
    { from: 3, to: 6 },
  ]);
  assert.equal(shape(batch), "output 0+1, skip 1+1, output 2+1, skip 3+1, skip 4+2, output 6+2, output 8+1");
  assert.equal(new TextDecoder().decode(batch.bytes), "abcdefghi");
});
