import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { brief, bytesOf, numbered, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { decodeGap, nextOffset } from "../protocol/payloads.ts";
import { JournalReader } from "./reader.ts";
import { encodeIndex } from "./segment-index.ts";
import { JournalWriter } from "./writer.ts";

const at = (timeUs: number): { timeUs: number } => ({ timeUs });

/** A writer and a reader that is told of each append, as the daemon is told by the host. */
async function openPair(directory: string, segmentBytesMax = 64 * 1024 * 1024) {
  const writer = await JournalWriter.open(directory, { segmentBytesMax, fsync: "never" });
  const reader = await JournalReader.open(directory);
  writer.onAppend((end) => reader.advance(end));
  return { writer, reader };
}

test("an offset inside of an output record gives its remaining bytes", async (context) => {
  const { writer, reader } = await openPair(temporaryDirectory(context));
  writer.append("output", bytesOf("abcdef"), at(1));
  assert.deepEqual(brief(reader.readSync(2).records), ["2 output cdef"]);
  assert.deepEqual(brief(reader.readSync(2, { bytesMax: 3 }).records), ["2 output cde"]);
  assert.equal(reader.readSync(2, { bytesMax: 3 }).next, 5);
});

test("other records are whole, or skipped when the offset is inside of one", async (context) => {
  const { writer, reader } = await openPair(temporaryDirectory(context));
  writer.append("mark", bytesOf("12345"), at(1));
  writer.append("output", bytesOf("ab"), at(2));
  assert.deepEqual(brief(reader.readSync(0, { bytesMax: 1 }).records), ["0 mark 12345"]);
  assert.deepEqual(brief(reader.readSync(3).records), ["5 output ab"]);
  writer.append("mark", bytesOf("67890"), at(3));
  assert.deepEqual(brief(reader.readSync(5, { bytesMax: 4 }).records), ["5 output ab"]);
  assert.deepEqual(brief(reader.readSync(8).records), []);
  assert.equal(reader.readSync(8).next, 12);
});

test("a read at the end is empty, one beyond it names the wanted offset and the end", async (context) => {
  const { writer, reader } = await openPair(temporaryDirectory(context));
  writer.append("output", bytesOf("abc"), at(1));
  assert.deepEqual(reader.readSync(3), { records: [], next: 3 });
  assert.throws(() => reader.readSync(4), { code: "OFFSET_BEYOND_END", message: /"4".*"3"/ });
  await assert.rejects(reader.read(-1), { code: "INVALID_INPUT" });
  await assert.rejects(reader.read(0.5), { code: "INVALID_INPUT" });
});

test("a directory without a journal is an error that names it", async (context) => {
  const directory = temporaryDirectory(context);
  await assert.rejects(JournalReader.open(join(directory, "none")), { code: "NOT_FOUND", message: /none/ });
  await assert.rejects(JournalReader.open(directory), { code: "NOT_FOUND" });
});

test("a reader that is told nothing finds new records and segments by itself", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory, { segmentBytesMax: 100 });
  await using reader = await JournalReader.open(directory);
  for (let count = 0; count < 9; count += 1) writer.append("output", bytesOf(`record ${count}\n`), at(count));
  assert.equal(reader.end, 0);
  assert.equal(reader.refresh(), 81);
  assert.equal(reader.readSync(0).records.length, 9);
  writer.append("exit", bytesOf("{}"), at(10));
  assert.equal(reader.refresh(), 83);
  assert.ok(reader.ended);
});

test("reading from any offset plus what comes before it is the whole", async (context) => {
  const directory = temporaryDirectory(context);
  const { writer, reader } = await openPair(directory, 90_000);
  const whole = numbered(400_000);
  for (let start = 0; start < whole.length; start += 1000)
    writer.append("output", whole.subarray(start, start + 1000), at(start));
  await fc.assert(
    fc.asyncProperty(
      fc.nat(399_999),
      fc.integer({ min: 1, max: 120_000 }),
      fc.boolean(),
      async (from, bytesMax, sync) => {
        const { records, next } = sync ? reader.readSync(from, { bytesMax }) : await reader.read(from, { bytesMax });
        const bytes = Buffer.concat(records.map(({ payload }) => payload));
        assert.ok(bytes.length > 0 && bytes.length <= bytesMax);
        assert.equal(next, from + bytes.length);
        assert.ok(whole.subarray(from, next).equals(bytes));
      },
    ),
    { numRuns: 200 },
  );
  const all = await Promise.all([0, 100_000, 399_000].map((from) => reader.read(from, { bytesMax: 1000 })));
  assert.deepEqual(
    all.map(({ next }) => next),
    [1000, 101_000, 400_000],
  );
});

test("following gives history and then live records without a gap, and ends after the exit", async (context) => {
  const { writer, reader } = await openPair(temporaryDirectory(context), 500);
  writer.append("output", bytesOf("before "), at(1));
  const seen: string[] = [];
  const following = (async () => {
    for await (const { records } of reader.follow(0)) seen.push(...brief(records));
  })();
  for (let count = 0; count < 20; count += 1) {
    writer.append("output", bytesOf("x".repeat(100)), at(count));
    await new Promise(setImmediate);
  }
  writer.append("exit", bytesOf("{}"), at(3));
  await following;
  assert.equal(seen.length, 22);
  assert.equal(seen[0], "0 output before ");
  assert.equal(seen.at(-1), "2007 exit {}");
  for await (const _ of reader.follow(2009)) assert.fail("nothing comes after the end");
});

test("following from the end of an ended journal ends at once, also where the exit was only announced", async (context) => {
  const { writer, reader } = await openPair(temporaryDirectory(context));
  writer.append("exit", bytesOf("{}"), at(1));
  for await (const _ of reader.follow(2)) assert.fail("nothing comes after the end");
  assert.ok(reader.ended);
});

test("following ends when its signal is aborted, while it waits and before it begins", async (context) => {
  const { writer, reader } = await openPair(temporaryDirectory(context));
  writer.append("output", bytesOf("a"), at(1));
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const { records } of reader.follow(0, { signal: stop.signal })) {
    seen.push(...brief(records));
    setImmediate(() => stop.abort());
  }
  for await (const _ of reader.follow(0, { signal: stop.signal })) assert.fail("it was aborted");
  assert.deepEqual(seen, ["0 output a"]);
});

test("the tail counts output bytes only, over records of other kinds", async (context) => {
  const { writer, reader } = await openPair(temporaryDirectory(context));
  writer.append("output", bytesOf("abc"), at(1));
  writer.append("input", bytesOf("i".repeat(200_000)), at(2));
  writer.append("output", bytesOf("def"), at(3));
  assert.equal(await reader.tailOffset(2), 200_004);
  assert.equal(await reader.tailOffset(4), 2);
  assert.equal(await reader.tailOffset(100), 0);
  assert.equal(await reader.tailOffset(0), 200_006);
});

for (const [name, spoil] of [
  ["missing", (path: string) => rmSync(path)],
  ["full of noise", (path: string) => writeFileSync(path, numbered(3200))],
  [
    "one of another journal",
    (path: string) =>
      writeFileSync(path, encodeIndex([0, 1, 2].map((n) => ({ offset: n * 7777, position: n * 65_000, timeUs: n })))),
  ],
  [
    "far ahead of the journal",
    (path: string) => writeFileSync(path, encodeIndex([{ offset: 9_000_000, position: 65_000, timeUs: 1 }])),
  ],
] as const) {
  test(`an index that is ${name} changes no result`, async (context) => {
    const directory = temporaryDirectory(context);
    const whole = numbered(300_000);
    {
      await using writer = await JournalWriter.open(directory);
      for (let from = 0; from < whole.length; from += 1000)
        writer.append("output", whole.subarray(from, from + 1000), at(from));
    }
    spoil(join(directory, "0000000000000000.idx"));
    await using reader = await JournalReader.open(directory);
    assert.equal(reader.end, whole.length);
    for (const from of [299_990, 8000, 150_500, 0]) {
      const [record] = reader.readSync(from, { bytesMax: 100 }).records;
      assert.ok(whole.subarray(from, from + (record?.payload.length ?? 0)).equals(record!.payload), `at ${from}`);
    }
  });
}

test("a damaged record in the middle becomes a gap of its own offsets, wherever reading begins", async (context) => {
  const directory = temporaryDirectory(context);
  const whole = numbered(300_000);
  {
    await using writer = await JournalWriter.open(directory);
    for (let from = 0; from < whole.length; from += 1000)
      writer.append("output", whole.subarray(from, from + 1000), at(from));
  }
  const path = join(directory, "0000000000000000.seg");
  const bytes = readFileSync(path);
  bytes[100 * 1032 + 500]! ^= 1;
  writeFileSync(path, bytes);
  await using reader = await JournalReader.open(directory);
  assert.equal(reader.end, 300_000);
  assert.equal(reader.readSync(99_000, { bytesMax: 1000 }).next, 100_000);
  for (const from of [100_000, 100_500, 99_990, 0]) {
    const { records } = await reader.read(from, { bytesMax: 300_000 });
    const gap = records.find(({ type }) => type === "gap");
    const start = Math.max(from, 100_000);
    const notice = { reason: "damaged", from: start, to: 101_000, bytes: 101_000 - start };
    assert.deepEqual([gap?.offset, decodeGap(gap!.payload)], [start, notice]);
    for (const { type, offset, payload } of records) {
      if (type === "output") assert.ok(whole.subarray(offset, offset + payload.length).equals(payload));
    }
    assert.equal(nextOffset(records.at(-1)!), 300_000);
  }
});
