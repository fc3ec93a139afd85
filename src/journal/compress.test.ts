import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import { bytesOf, numberedAt, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { encodeSeekTable } from "./compressed-blocks.ts";
import { compressSealed } from "./compress.ts";
import { nextOffset } from "../protocol/payloads.ts";
import { JournalReader } from "./reader.ts";
import { trimSegments } from "./retention.ts";
import { JournalWriter } from "./writer.ts";

const segmentBytesMax = 600_000;
const total = 2_000_000;

async function fill(directory: string): Promise<void> {
  await using writer = await JournalWriter.open(directory, { segmentBytesMax, fsync: "never" });
  while (writer.end < total) writer.append("output", numberedAt(writer.end, 5000), { timeUs: writer.end });
}

const names = (directory: string, suffix: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith(suffix));

async function checkAll(reader: JournalReader, bytesMax = 70_000): Promise<void> {
  for (let next = 0; next < reader.end;) {
    const result = next % 3 === 0 ? reader.readSync(next, { bytesMax }) : await reader.read(next, { bytesMax });
    for (const { offset, payload } of result.records) assert.ok(numberedAt(offset, payload.length).equals(payload));
    next = result.next;
  }
}

test("sealed segments are compressed and read as before, in order and at any offset", async (context) => {
  const directory = temporaryDirectory(context);
  await fill(directory);
  const report = await compressSealed(directory);
  assert.equal(report.segments, 3);
  assert.ok(report.bytesAfter < report.bytesBefore);
  assert.equal(names(directory, ".zseg").length, 3);
  assert.equal(names(directory, ".seg").length, 1);
  await using reader = await JournalReader.open(directory);
  assert.equal(reader.end, total);
  await checkAll(reader);
  for (const from of [1_199_999, 3, 700_001, 1_999_999]) {
    const [record] = reader.readSync(from, { bytesMax: 10 }).records;
    assert.ok(numberedAt(from, record!.payload.length).equals(record!.payload));
  }
});

test("a compressed segment is plain zstd: its blocks give back the segment", async (context) => {
  const directory = temporaryDirectory(context);
  await fill(directory);
  const plain = readFileSync(join(directory, "0000000000000000.seg"));
  await compressSealed(directory);
  const compressed = readFileSync(join(directory, "0000000000000000.zseg"));
  const table = compressed.subarray(compressed.lastIndexOf(Buffer.from([0x5e, 0x2a, 0x4d, 0x18])));
  const blocks: Buffer[] = [];
  for (let at = 0, index = 0; at < compressed.length - table.length; index += 1) {
    const size = table.readUInt32LE(8 + index * 8);
    blocks.push(zstdDecompressSync(compressed.subarray(at, at + size)));
    at += size;
  }
  assert.ok(blocks.length >= 3 && blocks.slice(0, -1).every((block) => block.length >= 256 * 1024));
  assert.ok(plain.equals(Buffer.concat(blocks)));
});

test("readers survive the switch in the middle of reading", async (context) => {
  const directory = temporaryDirectory(context);
  await fill(directory);
  await using reader = await JournalReader.open(directory);
  const before = reader.readSync(0, { bytesMax: 1000 });
  await Promise.all([compressSealed(directory), checkAll(reader, 3000)]);
  assert.ok(!existsSync(join(directory, "0000000000000000.seg")));
  await checkAll(reader, 9000);
  assert.equal(reader.readSync(0, { bytesMax: 1000 }).records.length, before.records.length);
});

test("a compression that was killed before its last step harms nobody, and the next one ends it", async (context) => {
  const directory = temporaryDirectory(context);
  await fill(directory);
  const plain = join(directory, "0000000000000000.seg");
  copyFileSync(plain, `${plain}.kept`);
  await compressSealed(directory);
  renameSync(`${plain}.kept`, plain);
  writeFileSync(join(directory, "0000000000000000.zseg.tmp"), "half");
  await using reader = await JournalReader.open(directory);
  await checkAll(reader);
  assert.equal((await compressSealed(directory)).segments, 1);
  assert.deepEqual(names(directory, ".tmp"), []);
  assert.ok(!existsSync(plain));
});

test("a segment with damage is left as it is", async (context) => {
  const directory = temporaryDirectory(context);
  await fill(directory);
  const path = join(directory, "0000000000000000.seg");
  const bytes = readFileSync(path);
  bytes[3000]! ^= 1;
  writeFileSync(path, bytes);
  assert.deepEqual((await compressSealed(directory)).skipped, [0]);
  assert.ok(bytes.equals(readFileSync(path)));
});

test("an aborted compression leaves no trace of what it began", async (context) => {
  const directory = temporaryDirectory(context);
  await fill(directory);
  assert.equal((await compressSealed(directory, { signal: AbortSignal.abort() })).segments, 0);
  const stop = new AbortController();
  const running = compressSealed(directory, { signal: stop.signal });
  setImmediate(() => stop.abort());
  await running;
  assert.deepEqual(names(directory, ".tmp"), []);
  await using reader = await JournalReader.open(directory);
  await checkAll(reader);
});

test("retention in the middle of a compression wins, at whatever moment it comes", async (context) => {
  for (let turns = 0; turns < 40; turns += 2) {
    const directory = temporaryDirectory(context);
    await fill(directory);
    const writer = await JournalWriter.open(directory, { fsync: "never" });
    const compressing = compressSealed(directory);
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    const start = await trimSegments(directory, 0);
    await compressing;
    await writer.close();
    assert.deepEqual(names(directory, "seg"), [`${start.toString(16).padStart(16, "0")}.seg`], `after ${turns} turns`);
    assert.deepEqual(names(directory, ".tmp"), []);
    assert.ok(names(directory, ".idx").length <= 1);
  }
});

test("the journal of an ended session is compressed whole, and can still be written to", async (context) => {
  const directory = temporaryDirectory(context);
  await fill(directory);
  await compressSealed(directory, { includeLast: true });
  assert.deepEqual(names(directory, ".seg"), []);
  {
    await using writer = await JournalWriter.open(directory);
    assert.equal(writer.append("exit", bytesOf("{}"), { timeUs: 1 }), total);
  }
  await using reader = await JournalReader.open(directory);
  assert.ok(reader.ended);
  assert.equal(reader.readSync(total - 100).records.at(-1)?.type, "exit");
});

test("a damaged block costs its own records, a damaged seek table none", async (context) => {
  const directory = temporaryDirectory(context);
  await fill(directory);
  await compressSealed(directory);
  const path = join(directory, "0000000000000000.zseg");
  const good = readFileSync(path);
  const missingWith = async (bytes: Uint8Array): Promise<number> => {
    writeFileSync(path, bytes);
    await using reader = await JournalReader.open(directory);
    let missing = 0;
    for (let next = 0; next < total;) {
      const result = await reader.read(next, { bytesMax: 100_000 });
      for (const record of result.records) {
        const { offset, payload, type } = record;
        if (type === "gap") missing += nextOffset(record) - offset;
        else assert.ok(numberedAt(offset, payload.length).equals(payload));
      }
      next = result.next;
    }
    return missing;
  };
  for (const at of [1, 9, 12, 14, 20, 22].map((fromEnd) => good.length - fromEnd)) {
    const bytes = Buffer.from(good);
    bytes[at]! ^= 0x55;
    assert.equal(await missingWith(bytes), 0, `byte ${at} of ${good.length}`);
  }
  const table = encodeSeekTable([]);
  assert.equal(await missingWith(Buffer.concat([good.subarray(0, good.length - 30), table])), 0);
  const bytes = Buffer.from(good);
  bytes[20_000]! ^= 0x55;
  const missing = await missingWith(bytes);
  assert.ok(missing > 0 && missing <= 256 * 1024 + 2 * 5000, `${missing} bytes`);
  assert.ok((await missingWith(table)) > 500_000);
});

test("the zstd program, where there is one, reads a compressed segment", async (context) => {
  const directory = temporaryDirectory(context);
  await fill(directory);
  const plain = readFileSync(join(directory, "0000000000000000.seg"));
  await compressSealed(directory);
  let output: Buffer;
  try {
    output = execFileSync("zstd", ["-dc", join(directory, "0000000000000000.zseg")], { maxBuffer: 1e8 });
  } catch (error) {
    assert.match(String(error), /ENOENT/);
    return;
  }
  assert.ok(plain.equals(output));
});
