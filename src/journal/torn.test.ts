/** A file that was cut, damaged or filled with zeros gives every whole record, and never a wrong one. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { brief, bytesOf, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import type { RecordType } from "../protocol/records.ts";
import { headerBytes } from "./frame.ts";
import { JournalReader } from "./reader.ts";
import { JournalWriter } from "./writer.ts";

const written: readonly [RecordType, string][] = [
  ["mark", '{"type":"session-start"}'],
  ["output", "$ "],
  ["input", "*"],
  ["output", "some output\r\nof more than one line\r\n"],
  ["resize", "\0\x50\0\x18"],
  ["output", "x"],
  ["exit", "{}"],
];

/** The journal as one segment, and per record where its frame ends. */
async function small(context: TestContext): Promise<{ bytes: Buffer; ends: number[] }> {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory, { fsync: "never" });
  const ends: number[] = [];
  for (const [index, [type, text]] of written.entries()) {
    writer.append(type, bytesOf(text), { timeUs: 1_790_000_000_000_000 + index });
    ends.push((ends.at(-1) ?? 0) + headerBytes + text.length);
  }
  return { bytes: readFileSync(join(directory, "0000000000000000.seg")), ends };
}

/** The expected content when only the first `count` records are whole. */
function prefix(count: number): string[] {
  let offset = 0;
  return written.slice(0, count).map(([type, text]) => {
    const line = `${offset} ${type} ${text}`;
    offset += text.length;
    return line;
  });
}

/** The expected content when the record at `index` is damaged. */
function without(index: number): string[] {
  const all = prefix(written.length);
  const from = Number(all[index]!.split(" ")[0]);
  const bytes = written[index]![1].length;
  const gap = `${from} gap {"reason":"damaged","from":${from},"to":${from + bytes},"bytes":${bytes}}`;
  return all.flatMap((line, at) => (at === index ? (at === all.length - 1 ? [] : [gap]) : [line]));
}

async function contentOf(directory: string): Promise<string[]> {
  await using reader = await JournalReader.open(directory);
  return brief(reader.readSync(0).records);
}

/** What a reader sees before the repair, and the content, cut bytes and kept bytes of the repair. */
async function recover(directory: string, bytes: Uint8Array) {
  mkdirSync(directory);
  writeFileSync(join(directory, "0000000000000000.seg"), bytes);
  const before = await contentOf(directory);
  const writer = await JournalWriter.open(directory, { fsync: "never" });
  await writer.close();
  const after = await contentOf(directory);
  assert.deepEqual(after, before);
  return { content: after, repair: writer.repair };
}

test("a journal that is cut at any byte keeps the records before the cut", async (context) => {
  const root = temporaryDirectory(context);
  const { bytes, ends } = await small(context);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const { content, repair } = await recover(join(root, String(cut)), bytes.subarray(0, cut));
    const whole = ends.filter((end) => end <= cut);
    assert.deepEqual(content, prefix(whole.length), `cut at ${cut}`);
    assert.equal(repair?.cutBytes ?? 0, cut - (whole.at(-1) ?? 0));
  }
});

test("a journal with any byte changed keeps every other record, and the repair cuts off only a damaged last one", async (context) => {
  const root = temporaryDirectory(context);
  const { bytes, ends } = await small(context);
  for (const mask of [0x01, 0x80, 0xff]) {
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= mask;
      const { content, repair } = await recover(join(root, `${mask}-${at}`), damaged);
      const index = ends.findIndex((end) => at < end);
      const isLast = index === ends.length - 1;
      assert.deepEqual(content, without(index), `byte ${at} with mask ${mask}`);
      assert.equal(repair !== undefined, isLast);
      if (repair !== undefined) assert.deepEqual(readFileSync(repair.savedTo!), damaged.subarray(ends.at(-2)));
    }
  }
});

test("zeros behind the last record are cut off and not kept", async (context) => {
  const root = temporaryDirectory(context);
  const { bytes, ends } = await small(context);
  for (const zeros of [1, 31, 32, 33, 4096, 300_000]) {
    const { content, repair } = await recover(join(root, String(zeros)), Buffer.concat([bytes, Buffer.alloc(zeros)]));
    assert.deepEqual(content, prefix(ends.length));
    assert.deepEqual(repair, { offset: 70, cutBytes: zeros, savedTo: null });
  }
});

test("a repaired journal goes on behind the last whole record", async (context) => {
  const directory = join(temporaryDirectory(context), "journal");
  const { bytes, ends } = await small(context);
  await recover(directory, bytes.subarray(0, ends[1]! + 10));
  await using writer = await JournalWriter.open(directory);
  assert.equal(writer.repair, undefined);
  assert.equal(writer.append("output", bytesOf("new"), { timeUs: 1 }), 26);
  assert.deepEqual(await contentOf(directory), [...prefix(2), "26 output new"]);
});

test("bytes of a program that look like records are never read as records", async (context) => {
  const root = temporaryDirectory(context);
  const { bytes } = await small(context);
  const directory = temporaryDirectory(context);
  {
    await using writer = await JournalWriter.open(directory);
    writer.append("output", bytes, { timeUs: 1 });
  }
  const file = readFileSync(join(directory, "0000000000000000.seg"));
  for (let cut = 1; cut < file.length; cut += 7) {
    const { content } = await recover(join(root, String(cut)), file.subarray(0, cut));
    assert.deepEqual(content, []);
  }
});
