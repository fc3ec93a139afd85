/**
 * Flips random bytes in a journal and reads it: every intact record must come back, and every missing offset must be in a
 * declared gap. `node bench/damage.ts [FLIPS] [MEGABYTES] [SEED]`
 */
import { readdirSync, readFileSync, rmSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compressSealed } from "../src/journal/compress.ts";
import { JournalReader } from "../src/journal/reader.ts";
import { JournalWriter } from "../src/journal/writer.ts";
import { decodeGap } from "../src/protocol/payloads.ts";
import type { RecordType } from "../src/protocol/records.ts";

const [flips = 200, megabytes = 100, seed = 1] = process.argv.slice(2).map(Number);
const HEADER_BYTES = 32;
const BLOCK_BYTES = 256 * 1024;
const SEGMENT_BYTES = 16 * 1024 * 1024;

/** Where a record and its frame are. */
interface Written {
  readonly offset: number;
  readonly length: number;
  readonly segment: number;
  readonly position: number;
}

/** Mulberry32: the same damage for the same seed. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The payload of the record at `offset`: lines with their offset, so that nothing repeats and zstd has work. */
function payloadAt(offset: number, length: number): Buffer {
  const line = `${offset} the quick brown fox ${((offset * 2_654_435_761) >>> 0).toString(36)}\r\n`;
  return Buffer.from(line.repeat(Math.ceil(length / line.length)).slice(0, length), "latin1");
}

async function write(directory: string, random: () => number): Promise<Written[]> {
  await using writer = await JournalWriter.open(directory, { segmentBytesMax: SEGMENT_BYTES, fsync: "never" });
  const written: Written[] = [];
  let segment = 0;
  let position = 0;
  while (writer.end < megabytes * 1e6) {
    if (position >= SEGMENT_BYTES) [segment, position] = [writer.end, 0];
    const type: RecordType = random() < 0.1 ? "mark" : "output";
    const length = 1 + Math.floor(random() < 0.5 ? random() * 200 : random() * 4096);
    const offset = writer.append(type, payloadAt(writer.end, length), { timeUs: writer.end });
    written.push({ offset, length, segment, position });
    position += HEADER_BYTES + length;
  }
  return written;
}

/** Flips bytes of all segments and returns the damaged ranges of the plain form, by segment. */
function damage(directory: string, random: () => number): Map<number, { from: number; to: number }[]> {
  const names = readdirSync(directory).filter((name) => name.endsWith("seg"));
  const files = names.map((name) => ({ path: join(directory, name), bytes: readFileSync(join(directory, name)) }));
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const ranges = new Map<number, { from: number; to: number }[]>();
  for (let flip = 0; flip < flips; flip += 1) {
    let at = Math.floor(random() * total);
    const file = files.find(({ bytes }) => (at -= bytes.length) < 0);
    if (file === undefined) continue;
    at += file.bytes.length;
    file.bytes[at]! ^= 1 << Math.floor(random() * 8);
    const base = Number.parseInt(file.path.slice(-21).replace(/^.*\//, ""), 16);
    ranges.set(base, [
      ...(ranges.get(base) ?? []),
      file.path.endsWith("zseg") ? blockAt(file.path, at) : { from: at, to: at + 1 },
    ]);
  }
  for (const { path, bytes } of files) writeFileSync(path, bytes);
  return ranges;
}

/** The plain bytes of the block of a compressed segment; none for the seek table. */
function blockAt(path: string, at: number): { from: number; to: number } {
  const bytes = readFileSync(path);
  const count = bytes.readUInt32LE(bytes.length - 9);
  const table = bytes.length - 9 - count * 8;
  for (let index = 0, end = 0; index < count; index += 1) {
    end += bytes.readUInt32LE(table + index * 8);
    if (at < end) return { from: index * BLOCK_BYTES, to: (index + 1) * BLOCK_BYTES };
  }
  return { from: 0, to: 0 };
}

async function readAll(directory: string, end: number) {
  await using reader = await JournalReader.open(directory);
  reader.advance(end);
  const right = new Uint8Array(end);
  const gaps: { from: number; to: number }[] = [];
  let wrong = 0;
  for (let next = 0; next < end;) {
    const reading = await reader.read(next, { bytesMax: 1024 * 1024 });
    for (const { type, offset, payload } of reading.records) {
      if (type === "gap") {
        const gap = decodeGap(payload);
        if ("to" in gap) gaps.push({ from: gap.from, to: gap.to });
      } else right.fill(1, offset, offset + payload.length);
    }
    for (const { from, to } of gaps) if (right.subarray(from, to).includes(1)) wrong += 1;
    if (reading.next <= next) throw new Error(`reading stands still at ${next}`);
    next = reading.next;
  }
  return { right, gaps, wrong };
}

for (const form of ["plain", "compressed"] as const) {
  const directory = mkdtempSync(join(tmpdir(), "lectern-damage-"));
  try {
    const random = randomOf(seed);
    const written = await write(directory, random);
    const end = written.reduce((sum, { length }) => sum + length, 0);
    if (form === "compressed") await compressSealed(directory, { includeLast: true });
    const ranges = damage(directory, random);
    const isDamaged = ({ segment, position, length }: Written): boolean =>
      (ranges.get(segment) ?? []).some(({ from, to }) => from < position + HEADER_BYTES + length && to > position);
    const damaged = new Set(written.filter(isDamaged));
    const startedMs = performance.now();
    const { right, gaps } = await readAll(directory, end);
    const tookMs = performance.now() - startedMs;
    const isRead = ({ offset, length }: Written): boolean => !right.subarray(offset, offset + length).includes(0);
    const intact = written.filter((record) => !damaged.has(record));
    const readable = intact.filter(isRead).length;
    const missing = written.filter((record) => !isRead(record));
    const declared = missing.filter(({ offset, length }) =>
      gaps.some(({ from, to }) => from <= offset && to >= offset + length),
    );
    console.log(
      `${form}: ${flips} flips in ${(end / 1e6).toFixed(0)} MB, ${written.length} records, ${damaged.size} of them damaged: ` +
        `${readable} of ${intact.length} intact records readable, ${declared.length} of ${missing.length} missing records in ` +
        `${gaps.length} declared gaps; read in ${(tookMs / 1000).toFixed(1)} s`,
    );
    if (readable < intact.length || declared.length < missing.length) process.exitCode = 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
