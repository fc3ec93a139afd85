import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { compressSealed } from "./compress.ts";
import { headerBytes } from "./frame.ts";
import { RawFrameReader, type RawFrames } from "./raw-frames.ts";
import { listSegments, segmentPath } from "./segments.ts";
import { bytesOf, numbered, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { JournalWriter } from "./writer.ts";

const FRAMES_MAX = 1000;

async function write(directory: string, lengths: readonly number[], segmentBytesMax = 1024): Promise<number> {
  await using writer = await JournalWriter.open(directory, { segmentBytesMax, fsync: "never" });
  for (const length of lengths) writer.append("output", numbered(length), { timeUs: 1 });
  return writer.end;
}

async function readAll(
  reader: RawFrameReader,
  range: { readonly from?: number; readonly end: number; readonly bytesMax?: number },
): Promise<RawFrames[]> {
  const found: RawFrames[] = [];
  for (let offset = range.from ?? 0; found.length < FRAMES_MAX;) {
    const read = await reader.read({ offset, end: range.end, bytesMax: range.bytesMax ?? 300 });
    if (read.bytes.length === 0) return found;
    found.push(read);
    offset = read.next;
  }
  throw new Error("the reader does not come to an end");
}

const plainBytes = (directory: string): Buffer =>
  Buffer.concat(listSegments(directory).map(({ base, suffix }) => readFileSync(segmentPath(directory, base, suffix))));

const made = async (context: TestContext, lengths: readonly number[]) => {
  const directory = temporaryDirectory(context);
  const end = await write(directory, lengths);
  return { directory, end, reader: new RawFrameReader(directory, { frameBytesMax: 4000 }) };
};

test("what is read is the journal byte for byte, in pieces of whole frames that do not cross segments", async (context) => {
  const lengths = Array.from({ length: 200 }, (_, index) => 1 + ((index * 37) % 200));
  const { directory, end, reader } = await made(context, lengths);
  const found = await readAll(reader, { end });
  assert.equal(Buffer.concat(found.map(({ bytes }) => bytes)).equals(plainBytes(directory)), true);
  assert.equal(found.length > listSegments(directory).length, true);
  for (const base of reader.bases().slice(1))
    assert.equal(
      found.some(({ offset }) => offset === base),
      true,
    );
  const again = await readAll(new RawFrameReader(directory, { frameBytesMax: 4000 }), { from: found[3]!.offset, end });
  assert.deepEqual(again[0], found[3]);
});

test("compressed segments give the same bytes", async (context) => {
  const { directory, end, reader } = await made(
    context,
    Array.from({ length: 60 }, () => 100),
  );
  const before = Buffer.concat((await readAll(reader, { end })).map(({ bytes }) => bytes));
  await compressSealed(directory);
  assert.equal(listSegments(directory)[0]?.suffix, "zseg");
  const other = new RawFrameReader(directory, { frameBytesMax: 4000 });
  const after = Buffer.concat((await readAll(other, { end })).map(({ bytes }) => bytes));
  assert.equal(after.equals(before), true);
});

test("nothing beyond the end is read, and a frame that is longer than a read comes alone", async (context) => {
  const { end, reader } = await made(context, [10, 10, 2000, 10]);
  assert.deepEqual(
    (await readAll(reader, { end: 20 })).map(({ next }) => next),
    [20],
  );
  const lengths = (await readAll(reader, { from: 20, end })).map(({ bytes }) => bytes.length);
  assert.deepEqual(lengths, [2000 + headerBytes, 10 + headerBytes]);
  assert.equal((await reader.read({ offset: end, end, bytesMax: 300 })).bytes.length, 0);
});

test("what was trimmed, is damaged or too large is a gap with its reason", async (context) => {
  const { directory, end } = await made(context, [10, 900, 50, 50, 900, 20, 20]);
  const small = new RawFrameReader(directory, { frameBytesMax: 500 });
  const gaps = (found: readonly RawFrames[]): string[] =>
    found.flatMap(({ offset, gapReason }) => (gapReason === undefined ? [] : [`${gapReason} before ${offset}`]));
  assert.deepEqual(gaps(await readAll(small, { end })), ["too-large before 910", "too-large before 1910"]);
  const reader = new RawFrameReader(directory, { frameBytesMax: 4000 });
  const [first, second] = listSegments(directory);
  const path = segmentPath(directory, second?.base ?? 0, "seg");
  const bytes = readFileSync(path);
  bytes.fill(0, 0, 20);
  writeFileSync(path, bytes);
  assert.deepEqual(gaps(await readAll(reader, { end })), [`damaged before ${(second?.base ?? 0) + 50}`]);
  rmSync(segmentPath(directory, first?.base ?? 0, "seg"));
  assert.deepEqual(gaps((await readAll(new RawFrameReader(directory, { frameBytesMax: 4000 }), { end })).slice(0, 1)), [
    `damaged before ${(second?.base ?? 0) + 50}`,
  ]);
});

test("a damaged last segment is read up to the damage, and what follows is found", async (context) => {
  const { directory, end, reader } = await made(context, [10, 10, 10, 10]);
  const path = segmentPath(directory, 0, "seg");
  const bytes = readFileSync(path);
  bytes.set(bytesOf("xx"), 42 + headerBytes + 2);
  writeFileSync(path, bytes);
  const found = await readAll(reader, { end });
  assert.deepEqual(
    found.map(({ offset, next, gapReason = "" }) => `${offset}-${next} ${gapReason}`),
    ["0-10 ", "20-40 damaged"],
  );
});
