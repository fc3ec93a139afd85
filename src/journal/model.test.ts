/** Random sequences of everything that can happen to a journal, against a model that is a list. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { decodeGap, nextOffset } from "../protocol/payloads.ts";
import type { JournalRecord, RecordType } from "../protocol/records.ts";
import { compressSealed } from "./compress.ts";
import { JournalReader } from "./reader.ts";
import { numberedAt, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { trimSegments } from "./retention.ts";
import { JournalWriter } from "./writer.ts";

type Step =
  | { readonly type: "append"; readonly record: RecordType; readonly length: number; readonly times: number }
  | { readonly type: "read"; readonly from: number; readonly bytesMax: number; readonly sync: boolean }
  | { readonly type: "retain"; readonly bytes: number }
  | { readonly type: "compress" | "reopen" | "refresh" };

const length = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 3000 }), fc.constant(300_000));
const kind = fc.constantFrom<RecordType>("output", "output", "output", "input", "mark");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("append" as const),
      record: kind,
      length,
      times: fc.integer({ min: 1, max: 30 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("read" as const),
      from: fc.double({ min: 0, max: 1, noNaN: true }),
      bytesMax: fc.integer({ min: 1, max: 400_000 }),
      sync: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("retain" as const), bytes: fc.nat(400_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom("compress" as const, "reopen" as const, "refresh" as const) }),
  },
);

interface Model {
  /** Where each appended payload begins and what it is. */
  readonly records: { offset: number; type: RecordType; length: number }[];
  end: number;
}

/** The record of the model that holds an offset. */
const holding = (model: Model, offset: number) => model.records.findLast((record) => record.offset <= offset);

/** Everything is right: the bytes, the type, no overlap, and nothing missing without a gap. */
function checkRecords(model: Model, from: number, records: readonly JournalRecord[]): number {
  let next = from;
  for (const record of records) {
    if (record.type === "gap") {
      assert.equal(decodeGap(record.payload).reason, "trimmed");
      assert.equal(record.offset, next);
    } else {
      const known = holding(model, record.offset);
      const behindSkipped = holding(model, next);
      assert.equal(record.type, known?.type);
      const skipsRest =
        behindSkipped?.type !== "output" && record.offset === behindSkipped!.offset + behindSkipped!.length;
      assert.ok(record.offset === next || skipsRest, `${record.offset} after ${next}`);
      assert.ok(numberedAt(record.offset, record.payload.length).equals(record.payload));
      if (record.type !== "output") assert.equal(record.payload.length, known?.length);
    }
    next = nextOffset(record);
  }
  return next;
}

test("whatever happens to a journal, a reader gets right records or a gap", async (context) => {
  const root = temporaryDirectory(context);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const directory = join(root, String((run += 1)));
      const options = { segmentBytesMax: 50_000, fsync: "never" } as const;
      let writer = await JournalWriter.open(directory, options);
      const reader = await JournalReader.open(directory);
      const model: Model = { records: [], end: 0 };
      const happen = async (next: Step): Promise<void> => {
        switch (next.type) {
          case "append":
            for (let count = 0; count < next.times && model.end < 3e6; count += 1) {
              model.records.push({ offset: model.end, type: next.record, length: next.length });
              writer.append(next.record, numberedAt(model.end, next.length), { timeUs: count });
              model.end += next.length;
            }
            return;
          case "read": {
            const from = Math.floor(next.from * model.end);
            const result = next.sync ? reader.readSync(from, next) : await reader.read(from, next);
            const last = checkRecords(model, from, result.records);
            const isInside = holding(model, last)?.type !== "output";
            assert.ok(result.next === last || (isInside && result.next > last), `${result.next} after ${last}`);
            assert.ok(result.next > from || from === reader.end);
            return;
          }
          case "retain":
            await trimSegments(directory, next.bytes);
            return;
          case "compress":
            await compressSealed(directory);
            return;
          case "reopen":
            await writer.close();
            writer = await JournalWriter.open(directory, options);
            assert.equal(writer.repair, undefined);
            assert.equal(writer.end, model.end);
            return;
          case "refresh":
            assert.equal(reader.refresh(), model.end);
        }
      };
      for (const next of steps) await happen(next);
      assert.equal(reader.refresh(), model.end);
      await reader.close();
      await writer.close();
    }),
    { numRuns: 60 },
  );
});
