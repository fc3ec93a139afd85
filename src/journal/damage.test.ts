/** Reading goes on behind damage: every intact record comes back, and every missing offset is in a declared gap. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { decodeGap } from "../protocol/payloads.ts";
import type { JournalRecord, RecordType } from "../protocol/records.ts";
import { compressSealed } from "./compress.ts";
import { HeaderBuffer, headerBytes } from "./frame.ts";
import { JournalReader } from "./reader.ts";
import { listSegments, segmentPath } from "./segments.ts";
import { brief, bytesOf, numberedAt, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { JournalWriter } from "./writer.ts";

/** A record, and where its frame is in the plain form of its segment. */
interface Written {
  readonly type: RecordType;
  readonly offset: number;
  readonly length: number;
  readonly base: number;
  readonly position: number;
}

const kinds: readonly RecordType[] = ["output", "mark", "output", "input", "output"];

async function write(directory: string, lengths: readonly number[], segmentBytesMax: number): Promise<Written[]> {
  await using writer = await JournalWriter.open(directory, { segmentBytesMax, fsync: "never" });
  const written: Written[] = [];
  let base = 0;
  let position = 0;
  for (const [index, length] of lengths.entries()) {
    if (position >= segmentBytesMax) [base, position] = [writer.end, 0];
    const type = kinds[index % kinds.length] ?? "output";
    const offset = writer.append(type, numberedAt(writer.end, length), { timeUs: index });
    written.push({ type, offset, length, base, position });
    position += headerBytes + length;
  }
  return written;
}

async function readAll(directory: string, end: number, bytesMax = 100_000): Promise<JournalRecord[]> {
  await using reader = await JournalReader.open(directory);
  reader.advance(end);
  const records: JournalRecord[] = [];
  for (let next = 0; next < end;) {
    const read = records.length % 2 === 0 ? reader.readSync(next, { bytesMax }) : await reader.read(next, { bytesMax });
    records.push(...read.records);
    assert.ok(read.next > next);
    next = read.next;
  }
  return records;
}

/** What is read is right, the gaps are exactly the missing records, and nothing is in both. */
function check(records: readonly JournalRecord[], written: readonly Written[], missing: ReadonlySet<Written>): void {
  const read = new Map<number, number>();
  const isGone = new Set<number>();
  for (const { type, offset, payload } of records) {
    if (type === "gap") {
      const gap = decodeGap(payload);
      assert.ok(gap.reason === "damaged" && gap.from === offset && gap.bytes === gap.to - gap.from);
      for (let at = gap.from; at < gap.to; at += 1) isGone.add(at);
    } else {
      assert.ok(numberedAt(offset, payload.length).equals(payload), `payload at ${offset}`);
      for (let at = offset; at < offset + payload.length; at += 1) read.set(at, (read.get(at) ?? 0) + 1);
    }
  }
  for (const record of written) {
    for (let at = record.offset; at < record.offset + record.length; at += 1) {
      assert.equal(read.get(at) ?? 0, missing.has(record) ? 0 : 1, `offset ${at} of the record at ${record.offset}`);
      assert.equal(isGone.has(at), missing.has(record), `gap at ${at}`);
    }
  }
}

const endOf = (written: readonly Written[]): number => written.reduce((sum, { length }) => sum + length, 0);

test("a flip at any byte of a journal of several segments costs the record that it hits and no other", async (context) => {
  const directory = temporaryDirectory(context);
  const written = await write(directory, [9, 30, 1, 50, 8, 77, 3, 20, 12, 40, 2, 33], 250);
  const end = endOf(written);
  const segments = listSegments(directory);
  assert.equal(segments.length, 3);
  for (const { base, suffix } of segments) {
    const path = segmentPath(directory, base, suffix);
    const good = readFileSync(path);
    for (let at = 0; at < good.length; at += 1) {
      const bytes = Buffer.from(good);
      bytes[at]! ^= at % 2 === 0 ? 0x01 : 0x80;
      writeFileSync(path, bytes);
      const hit = written.findLast((record) => record.base === base && record.position <= at);
      check(await readAll(directory, end), written, new Set([hit!]));
    }
    writeFileSync(path, good);
  }
});

test("whatever is damaged, what was written is read or in a gap, and one damaged stretch costs only its records", async (context) => {
  const root = temporaryDirectory(context);
  let run = 0;
  const length = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 3000 }));
  const stretch = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    bytes: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4096 })),
    fill: fc.constantFrom("flip" as const, "zero" as const),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(length, { minLength: 2, maxLength: 150 }),
      fc.array(stretch, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (lengths, stretches, keepsIndex) => {
        const directory = join(root, String((run += 1)));
        const written = await write(directory, lengths, 20_000);
        const missing = new Set<Written>();
        const segments = listSegments(directory);
        for (const { at, bytes, fill } of stretches) {
          const { base } = segments[Math.floor(at * segments.length)]!;
          const path = segmentPath(directory, base, "seg");
          const content = readFileSync(path);
          const from = Math.floor(((at * segments.length) % 1) * content.length);
          const before = Buffer.from(content);
          for (let place = from; place < Math.min(content.length, from + bytes); place += 1) {
            content[place] = fill === "zero" ? 0 : content[place]! ^ 0x55;
          }
          writeFileSync(path, content);
          if (!keepsIndex) rmSync(segmentPath(directory, base, "idx"), { force: true });
          for (const record of written) {
            const end = record.position + headerBytes + record.length;
            const isHit = !before.subarray(record.position, end).equals(content.subarray(record.position, end));
            if (record.base === base && isHit) missing.add(record);
          }
        }
        const records = await readAll(directory, endOf(written), 7000);
        // A second stretch can restore what the first has flipped.
        const found = new Set(records.filter(({ type }) => type !== "gap").map(({ offset }) => offset));
        check(records, written, new Set([...missing].filter(({ offset }) => !found.has(offset))));
      },
    ),
    { numRuns: 150 },
  );
});

test("a missing segment in the middle is a gap, one at the start is trimmed, and one that was cut loses its end", async (context) => {
  const root = temporaryDirectory(context);
  const good = join(root, "good");
  const written = await write(
    good,
    Array.from({ length: 100 }, () => 100),
    2000,
  );
  const end = endOf(written);
  const [first, second, third] = listSegments(good);
  const without = async (change: (directory: string) => void, name: string): Promise<JournalRecord[]> => {
    const directory = join(root, name);
    cpSync(good, directory, { recursive: true });
    change(directory);
    return await readAll(directory, end);
  };
  const ofSegment = (base: number): Set<Written> => new Set(written.filter((record) => record.base === base));

  const middle = await without((directory) => rmSync(segmentPath(directory, second!.base, "seg")), "middle");
  check(middle, written, ofSegment(second!.base));
  assert.equal(middle.filter(({ type }) => type === "gap").length, 1);

  const start = await without((directory) => rmSync(segmentPath(directory, 0, "seg")), "start");
  assert.deepEqual(decodeGap(start[0]!.payload), { reason: "trimmed", from: 0, to: second!.base });
  assert.equal(start.filter(({ type }) => type === "gap").length, 1);

  const cut = await without((directory) => truncateSync(segmentPath(directory, second!.base, "seg"), 700), "cut");
  check(
    cut,
    written,
    new Set([...ofSegment(second!.base)].filter(({ position }) => position + headerBytes + 100 > 700)),
  );

  // The part before the missing segment and its own damage are one gap.
  const both = await without((directory) => {
    rmSync(segmentPath(directory, second!.base, "seg"));
    truncateSync(segmentPath(directory, 0, "seg"), statSync(segmentPath(directory, 0, "seg")).size - 1);
  }, "both");
  const gaps = both.filter(({ type }) => type === "gap").map(({ payload }) => decodeGap(payload));
  const lastOfFirst = [...ofSegment(first!.base)].at(-1)!;
  const range = { from: lastOfFirst.offset, to: third!.base };
  assert.deepEqual(gaps, [{ reason: "damaged", ...range, bytes: range.to - range.from }]);
});

test("a damaged block of a compressed segment costs the records that touch it", async (context) => {
  const directory = temporaryDirectory(context);
  const written = await write(
    directory,
    Array.from({ length: 120 }, (_, index) => 1000 + ((index * 977) % 5000)),
    1e9,
  );
  await compressSealed(directory, { includeLast: true });
  const path = segmentPath(directory, 0, "zseg");
  const good = readFileSync(path);
  const block = 256 * 1024;
  for (const part of [0.2, 0.9]) {
    const bytes = Buffer.from(good);
    bytes[Math.floor(bytes.length * part)]! ^= 0x40;
    writeFileSync(path, bytes);
    const records = await readAll(directory, endOf(written));
    const read = new Set(records.filter(({ type }) => type !== "gap").map(({ offset }) => offset));
    const missing = written.filter(({ offset }) => !read.has(offset));
    const [first, last] = [missing[0]!, missing.at(-1)!];
    check(records, written, new Set(missing));
    assert.equal(Math.floor((first.position + headerBytes + first.length) / block), Math.floor(last.position / block));
  }
});

/** A frame as a program could print it. */
function forged(offset: number, text: string): Buffer {
  const header = new HeaderBuffer();
  header.encode({ offset, timeUs: 5, type: "mark", secret: false }, bytesOf(text));
  return Buffer.concat([header.bytes, bytesOf(text)]);
}

test("output that looks like a record is not taken for one, whichever byte is damaged and wherever the file was cut", async (context) => {
  const root = temporaryDirectory(context);
  const directory = join(root, "journal");
  const lead = "some output ";
  // A copy of a journal, a record with the offset that a program can guess, and one that fits its own place.
  const from = 100;
  const parts: Buffer[] = [Buffer.from(lead)];
  for (const guess of [0, 1, from, from + lead.length, from + 300])
    parts.push(forged(guess, '{"type":"marker","label":"forged"}'));
  const length = (): number => parts.reduce((sum, part) => sum + part.length, 0);
  parts.push(forged(from + length(), '{"type":"marker","label":"forged"}'));
  parts.push(Buffer.from("the end\r\n"));
  const payload = Buffer.concat(parts);
  {
    await using writer = await JournalWriter.open(directory, { fsync: "never" });
    writer.append("output", numberedAt(0, from), { timeUs: 1 });
    writer.append("output", payload, { timeUs: 2 });
    writer.append("output", bytesOf("behind it"), { timeUs: 3 });
    writer.append("exit", bytesOf("{}"), { timeUs: 4 });
  }
  const path = segmentPath(directory, 0, "seg");
  const good = readFileSync(path);
  const [begin, end] = [headerBytes + from, 2 * headerBytes + from + payload.length];
  for (let at = begin; at < end; at += 1) {
    const bytes = Buffer.from(good);
    bytes[at]! ^= 0x04;
    writeFileSync(path, bytes);
    const records = await readAll(directory, from + payload.length + 11);
    assert.deepEqual(
      records.map(({ type }) => type),
      ["output", "gap", "output", "exit"],
      `byte ${at}`,
    );
    assert.deepEqual(brief(records.slice(2)), [
      `${from + payload.length} output behind it`,
      `${from + payload.length + 9} exit {}`,
    ]);
  }
  // What remains (docs/decisions/journal.md): a file that ends exactly with a forged frame that fits its place.
  const fitting = end - "the end\r\n".length;
  for (let cut = begin + 1; cut < end; cut += cut === fitting - 1 ? 2 : 1) {
    writeFileSync(path, good.subarray(0, cut));
    await using reader = await JournalReader.open(directory);
    assert.equal(reader.end, from, `cut at ${cut}`);
  }
});

test("a record that is being written is not taken for damage, and what is behind damage in the last segment is", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory, { fsync: "never" });
  for (let at = 0; at < 10; at += 1) writer.append("output", numberedAt(at * 100, 100), { timeUs: at });
  const path = segmentPath(directory, 0, "seg");
  const good = readFileSync(path);
  await using reader = await JournalReader.open(directory);

  // Its length says that it goes on behind the end of the file.
  const header = new HeaderBuffer();
  header.encode({ offset: 1000, timeUs: 20, type: "output", secret: false }, numberedAt(1000, 5000));
  writeFileSync(path, Buffer.concat([good, header.bytes, numberedAt(1000, 300)]));
  assert.equal(reader.refresh(), 1000);
  assert.deepEqual(reader.readSync(1000).records, []);

  const damaged = Buffer.from(good);
  damaged[7 * 132 + 4]! ^= 0x20;
  writeFileSync(path, damaged);
  await using other = await JournalReader.open(directory);
  assert.equal(other.end, 1000);
  const gap = other.readSync(700).records[0]!;
  assert.deepEqual(decodeGap(gap.payload), { reason: "damaged", from: 700, to: 800, bytes: 100 });
});

test("a journal with damage is opened for writing again without losing a record behind it", async (context) => {
  const directory = temporaryDirectory(context);
  const written = await write(
    directory,
    Array.from({ length: 20 }, () => 50),
    1e9,
  );
  const path = segmentPath(directory, 0, "seg");
  const bytes = readFileSync(path);
  bytes[5 * 82 + 40]! ^= 1;
  bytes[12 * 82 + 5]! ^= 1;
  writeFileSync(path, bytes);
  {
    await using writer = await JournalWriter.open(directory, { fsync: "never" });
    assert.equal(writer.repair, undefined);
    assert.equal(writer.append("output", numberedAt(1000, 50), { timeUs: 100 }), 1000);
  }
  const all = [...written, { type: "output", offset: 1000, length: 50, base: 0, position: 20 * 82 } as const];
  check(await readAll(directory, 1050), all, new Set([written[5]!, written[12]!]));
  const report = await compressSealed(directory, { includeLast: true });
  assert.deepEqual(report.skipped, [0]);
});
