import assert from "node:assert/strict";
import * as nodeFiles from "node:fs";
import { test } from "node:test";
import { brief, bytesOf, numberedAt, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { HeaderBuffer } from "./frame.ts";
import { JournalReader } from "./reader.ts";
import { JournalWriter } from "./writer.ts";

const fail = (code: string): never => {
  throw Object.assign(new Error(`${code}: made by the test`), { code });
};

const at = { timeUs: 1 };

const openAllButIndexes: typeof nodeFiles.openSync = (path, flags, mode) =>
  String(path).endsWith(".idx") ? fail("ENOSPC") : nodeFiles.openSync(path, flags, mode);

/** As `writeSync` with all its arguments, but at most 5 bytes at once. */
function writeFew(...args: readonly unknown[]): number {
  const [descriptor, bytes, from, length, position] = args as [number, Uint8Array, number, number, number];
  return nodeFiles.writeSync(descriptor, bytes, from, Math.min(5, length), position);
}

async function contentOf(directory: string): Promise<string[]> {
  await using reader = await JournalReader.open(directory);
  return brief(reader.readSync(reader.start, { bytesMax: 1e6 }).records);
}

test("a write that fails half way leaves nothing, and the next one takes its place", async (context) => {
  const directory = temporaryDirectory(context);
  let broken = false;
  const files = {
    ...nodeFiles,
    writevSync: (descriptor: number, buffers: readonly NodeJS.ArrayBufferView[], position?: number) => {
      if (!broken) return nodeFiles.writevSync(descriptor, buffers, position);
      return nodeFiles.writevSync(descriptor, buffers.slice(0, 1), position);
    },
    writeSync: () => fail("EIO"),
  };
  await using writer = await JournalWriter.open(directory, { files, fsync: "never" });
  writer.append("output", bytesOf("before"), at);
  broken = true;
  assert.throws(() => writer.append("output", bytesOf("lost"), at), {
    code: "JOURNAL_WRITE_FAILED",
    message: /at offset "6": EIO/,
    details: { offset: 6 },
  });
  assert.equal(writer.end, 6);
  assert.equal(nodeFiles.statSync(`${directory}/0000000000000000.seg`).size, 38);
  broken = false;
  assert.equal(writer.append("output", bytesOf("after"), at), 6);
  assert.deepEqual(await contentOf(directory), ["0 output before", "6 output after"]);
});

test("a disk that takes a record in small pieces gets all of it", async (context) => {
  const directory = temporaryDirectory(context);
  const files = {
    ...nodeFiles,
    writevSync: (descriptor: number, buffers: readonly NodeJS.ArrayBufferView[], position?: number) =>
      nodeFiles.writevSync(descriptor, [Buffer.concat(buffers as Uint8Array[]).subarray(0, 7)], position),
    writeSync: writeFew as typeof nodeFiles.writeSync,
  };
  await using writer = await JournalWriter.open(directory, { files, fsync: "never" });
  writer.append("output", bytesOf("in pieces"), at);
  assert.deepEqual(await contentOf(directory), ["0 output in pieces"]);
});

test("while the file cannot be cut back nothing is appended over the torn record", async (context) => {
  const directory = temporaryDirectory(context);
  let broken = false;
  const files = {
    ...nodeFiles,
    // All but the last byte: what is torn holds nearly the whole payload.
    writevSync: (descriptor: number, buffers: readonly NodeJS.ArrayBufferView[], position?: number) =>
      nodeFiles.writevSync(
        descriptor,
        broken ? [Buffer.concat(buffers as Uint8Array[]).subarray(0, -1)] : buffers,
        position,
      ),
    writeSync: () => fail("EIO"),
    ftruncateSync: (descriptor: number, length?: number) =>
      broken ? fail("EIO") : nodeFiles.ftruncateSync(descriptor, length),
  };
  await using writer = await JournalWriter.open(directory, { files, fsync: "never" });
  writer.append("output", bytesOf("a"), at);
  // A program that prints a record which would stand right behind the record that is appended next.
  const header = new HeaderBuffer();
  header.encode({ offset: 2, timeUs: 1, type: "exit", secret: false }, bytesOf("forged"));
  const forged = Buffer.concat([bytesOf("."), header.bytes, bytesOf("forged"), bytesOf("...")]);
  broken = true;
  for (let count = 0; count < 3; count += 1) {
    assert.throws(() => writer.append("output", forged, at), { code: "JOURNAL_WRITE_FAILED" });
    assert.deepEqual(await contentOf(directory), ["0 output a"]);
  }
  broken = false;
  writer.append("output", bytesOf("c"), at);
  assert.deepEqual(await contentOf(directory), ["0 output a", "1 output c"]);
});

test("without a descriptor for a new segment the old one grows on, and the next try begins a new one", async (context) => {
  const directory = temporaryDirectory(context);
  const problems: string[] = [];
  let broken = true;
  const openSync: typeof nodeFiles.openSync = (path, flags, mode) =>
    broken && /[1-9a-f]\d?\.seg$/.test(String(path)) ? fail("EMFILE") : nodeFiles.openSync(path, flags, mode);
  const files = { ...nodeFiles, openSync };
  const onProblem = (error: Error): void => void problems.push(error.message);
  await using writer = await JournalWriter.open(directory, { files, onProblem, segmentBytesMax: 120, fsync: "never" });
  for (let count = 0; count < 5; count += 1) writer.append("output", numberedAt(writer.end, 50), at);
  assert.match(problems.join(), /begin a new segment .*EMFILE/);
  broken = false;
  writer.append("output", numberedAt(writer.end, 50), at);
  await using reader = await JournalReader.open(directory);
  const { records } = reader.readSync(0);
  assert.ok(numberedAt(0, 300).equals(Buffer.concat(records.map(({ payload }) => payload))));
  assert.equal(nodeFiles.readdirSync(directory).filter((name) => name.endsWith(".seg")).length, 2);
});

test("an index that cannot be written costs nothing but the index", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory, {
    files: { ...nodeFiles, openSync: openAllButIndexes },
    fsync: "never",
  });
  for (let count = 0; count < 50; count += 1) writer.append("output", numberedAt(writer.end, 9000), at);
  await using reader = await JournalReader.open(directory);
  assert.equal(reader.end, 450_000);
  assert.ok(numberedAt(440_000, 10).equals(reader.readSync(440_000, { bytesMax: 10 }).records[0]!.payload));
});
