import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { decodeGap, nextOffset } from "../protocol/payloads.ts";
import { numberedAt, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { compressSealed } from "./compress.ts";
import { JournalReader } from "./reader.ts";
import { segmentBytesFor, trimSegments } from "./retention.ts";
import { JournalWriter } from "./writer.ts";

/** Appends records of 1,000 bytes, one per second, up to an offset. */
function appendTo(writer: JournalWriter, end: number): void {
  while (writer.end < end) writer.append("output", numberedAt(writer.end, 1000), { timeUs: writer.end * 1000 });
}

const segments = (directory: string): string[] => readdirSync(directory).filter((name) => name.endsWith("seg"));

test("the oldest sealed segments go when there are too many bytes, and readers get a gap", async (context) => {
  const directory = temporaryDirectory(context);
  const options = { segmentBytesMax: 10_000, retainBytesMax: 35_000, fsync: "never" } as const;
  const writer = await JournalWriter.open(directory, options);
  appendTo(writer, 100_000);
  await writer.close();
  await using reader = await JournalReader.open(directory);
  assert.equal(reader.start, 70_000);
  assert.equal(reader.end, 100_000);
  const [gap, first] = reader.readSync(5000).records;
  assert.equal(gap?.type, "gap");
  assert.equal(gap.offset, 5000);
  assert.deepEqual(decodeGap(gap.payload), { reason: "trimmed", from: 5000, to: 70_000 });
  assert.equal(gap.timeUs, first?.timeUs);
  assert.equal(first?.offset, 70_000);
  assert.ok(numberedAt(70_000, 1000).equals(first.payload));
});

test("a segment is a quarter of what is retained, at most 64 MiB", () => {
  const MIB = 1024 * 1024;
  const lengths = [1, 10, 256, 1024].map((retained) => segmentBytesFor(retained * MIB) / MIB);
  assert.deepEqual(lengths, [0.25, 2.5, 64, 64]);
  assert.equal(segmentBytesFor() / MIB, 64);
  assert.equal(segmentBytesFor(1), 65_536);
});

test("a journal of few bytes keeps about these, not a segment of the default length", async (context) => {
  const directory = temporaryDirectory(context);
  const writer = await JournalWriter.open(directory, { retainBytesMax: 400_000, fsync: "never" });
  appendTo(writer, 4_000_000);
  await writer.close();
  await using reader = await JournalReader.open(directory);
  const kept = reader.end - reader.start;
  assert.ok(kept > 250_000 && kept < 550_000, `${kept} bytes`);
});

test("all segments but the last one may go", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory, { segmentBytesMax: 10_000, fsync: "never" });
  appendTo(writer, 45_000);
  assert.equal(await trimSegments(directory, 0), 40_000);
  assert.deepEqual(segments(directory), ["0000000000009c40.seg"]);
  appendTo(writer, 50_000);
  await using reader = await JournalReader.open(directory);
  assert.equal(reader.readSync(40_000).records[0]?.offset, 40_000);
});

test("compressed segments count with what they take and go too, with their indexes", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory, { segmentBytesMax: 10_000, fsync: "never" });
  appendTo(writer, 100_000);
  await compressSealed(directory);
  const start = await trimSegments(directory, 30_000);
  assert.ok(start > 0 && start < 90_000, `start ${start}`);
  assert.equal(await trimSegments(directory, 0), 90_000);
  assert.deepEqual(readdirSync(directory).toSorted(), ["0000000000015f90.seg", "writer.lock"]);
});

test("a reader that stands in a removed segment reads on in it and then gets the gap", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory, { segmentBytesMax: 10_000, fsync: "never" });
  appendTo(writer, 50_000);
  await using reader = await JournalReader.open(directory);
  assert.equal(reader.readSync(2000, { bytesMax: 1000 }).next, 3000);
  await trimSegments(directory, 0);
  const { records, next } = reader.readSync(3000, { bytesMax: 8000 });
  assert.deepEqual(
    records.map(({ type, offset }) => [type, offset]),
    [
      ...[3000, 4000, 5000, 6000, 7000, 8000, 9000].map((offset) => ["output", offset]),
      ["gap", 10_000],
      ["output", 40_000],
    ],
  );
  assert.equal(next, 41_000);
});

test("a journal of which everything is gone gives the gap alone", async (context) => {
  const directory = temporaryDirectory(context);
  const writer = await JournalWriter.open(directory, { segmentBytesMax: 10_000, fsync: "never" });
  appendTo(writer, 10_000);
  await writer.close();
  await compressSealed(directory, { includeLast: true });
  await using _ = await JournalWriter.open(directory);
  await trimSegments(directory, 0);
  await using reader = await JournalReader.open(directory);
  const { records, next } = reader.readSync(0);
  assert.deepEqual(decodeGap(records[0]!.payload), { reason: "trimmed", from: 0, to: 10_000 });
  assert.equal(records.length, 1);
  assert.equal(next, 10_000);
});

test("who follows a journal that is trimmed under it gets everything or a gap, never silence", async (context) => {
  const directory = temporaryDirectory(context);
  const options = { segmentBytesMax: 10_000, retainBytesMax: 25_000, fsync: "never" } as const;
  const writer = await JournalWriter.open(directory, options);
  await using reader = await JournalReader.open(directory);
  writer.onAppend((end) => reader.advance(end));
  let next = 0;
  let gaps = 0;
  const following = (async () => {
    for await (const result of reader.follow(0, { bytesMax: 3000 })) {
      for (const record of result.records) {
        const { type, offset, payload } = record;
        assert.equal(offset, next);
        if (type === "gap") gaps += 1;
        if (type === "output") assert.ok(numberedAt(offset, payload.length).equals(payload));
        next = nextOffset(record);
      }
    }
  })();
  for (let end = 40_000; end <= 400_000; end += 40_000) {
    appendTo(writer, end);
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  }
  writer.append("exit", Buffer.from("{}"), { timeUs: 1e12 });
  await following;
  await writer.close();
  assert.equal(next, 400_002);
  // Of 40 segments each gap takes one at least, and one is read before the next gap.
  assert.ok(gaps <= 20, `${gaps} gaps`);
});
