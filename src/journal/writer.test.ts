import assert from "node:assert/strict";
import * as nodeFiles from "node:fs";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { brief, bytesOf, numbered, temporaryDirectory } from "../../test/support/numbered-bytes.ts";
import { JournalReader } from "./reader.ts";
import { JournalWriter } from "./writer.ts";

const at = (timeUs: number): { timeUs: number } => ({ timeUs });

async function contentOf(directory: string): Promise<string[]> {
  await using reader = await JournalReader.open(directory);
  return brief(reader.readSync(reader.start, { bytesMax: 1e6 }).records);
}

test("a record takes the length of its payload of the offset space", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory);
  assert.equal(writer.append("output", bytesOf("abc"), at(1)), 0);
  assert.equal(writer.append("input", bytesOf("**"), { timeUs: 2, secret: true }), 3);
  assert.equal(writer.append("mark", bytesOf("{}"), at(3)), 5);
  assert.equal(writer.end, 7);
  await using reader = await JournalReader.open(directory);
  const { records, next } = reader.readSync(0);
  assert.deepEqual(brief(records), ["0 output abc", "3 input **", "5 mark {}"]);
  assert.deepEqual(
    records.map(({ timeUs, secret }) => [timeUs, secret]),
    [
      [1, false],
      [2, true],
      [3, false],
    ],
  );
  assert.equal(next, 7);
});

test("a journal goes on where it ended", async (context) => {
  const directory = temporaryDirectory(context);
  for (const text of ["one", "two", "three"]) {
    await using writer = await JournalWriter.open(directory);
    assert.equal(writer.repair, undefined);
    writer.append("output", bytesOf(text), at(1));
  }
  assert.deepEqual(await contentOf(directory), ["0 output one", "3 output two", "6 output three"]);
});

test("a clock that jumps back does not take the records with it, not even over a restart", async (context) => {
  const directory = temporaryDirectory(context);
  {
    await using writer = await JournalWriter.open(directory);
    writer.append("output", bytesOf("a"), at(5_000_000_000_000_000));
    writer.append("output", bytesOf("b"), at(7));
  }
  await using writer = await JournalWriter.open(directory);
  writer.append("output", bytesOf("c"), at(8));
  await using reader = await JournalReader.open(directory);
  const times = reader.readSync(0).records.map(({ timeUs }) => timeUs);
  assert.deepEqual(times, [5_000_000_000_000_000, 5_000_000_000_000_000, 5_000_000_000_000_000]);
});

test("the buffer of an append can be used again at once", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory);
  const buffer = bytesOf("first");
  writer.append("output", buffer, at(1));
  buffer.fill(0);
  assert.deepEqual(await contentOf(directory), ["0 output first"]);
});

test("output longer than a record becomes several records with the same bytes", async (context) => {
  const directory = temporaryDirectory(context);
  await using writer = await JournalWriter.open(directory);
  const bytes = numbered(700_000);
  assert.equal(writer.append("output", bytes, at(1)), 0);
  assert.equal(writer.end, 700_000);
  await using reader = await JournalReader.open(directory);
  const { records } = await reader.read(0, { bytesMax: 1e6 });
  assert.equal(records.length, 3);
  assert.ok(bytes.equals(Buffer.concat(records.map(({ payload }) => payload))));
});

test("nothing is appended after the exit record, not even by the next writer", async (context) => {
  const directory = temporaryDirectory(context);
  {
    await using writer = await JournalWriter.open(directory);
    writer.append("exit", bytesOf("{}"), at(1));
    assert.throws(() => writer.append("output", bytesOf("x"), at(2)), { code: "SESSION_ENDED" });
  }
  await using writer = await JournalWriter.open(directory);
  assert.ok(writer.ended);
  assert.throws(() => writer.append("output", bytesOf("x"), at(2)), { code: "SESSION_ENDED" });
});

test("an empty record and one that is too long are refused", async (context) => {
  await using writer = await JournalWriter.open(temporaryDirectory(context));
  assert.throws(() => writer.append("output", new Uint8Array(), at(1)), { code: "INVALID_INPUT" });
  assert.throws(() => writer.append("mark", new Uint8Array(17 * 1024 * 1024), at(1)), { code: "TOO_LARGE" });
  assert.equal(writer.end, 0);
});

test("segments are named after their first offset, in a directory that only the owner reads", async (context) => {
  const directory = join(temporaryDirectory(context), "session");
  {
    await using writer = await JournalWriter.open(directory, { segmentBytesMax: 200 });
    for (let count = 0; count < 4; count += 1) writer.append("output", numbered(80), at(count));
  }
  const segments = readdirSync(directory).filter((name) => name.endsWith(".seg"));
  assert.deepEqual(segments, ["0000000000000000.seg", "00000000000000a0.seg"]);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  assert.equal(statSync(join(directory, "0000000000000000.seg")).mode & 0o777, 0o600);
});

test("any split of the same output gives the same journal content", async (context) => {
  const root = temporaryDirectory(context);
  const whole = numbered(3000);
  let run = 0;
  const cuts = fc.array(fc.integer({ min: 1, max: 2999 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cuts, fc.integer({ min: 1, max: 900 }), async (positions, bytesMax) => {
      const directory = join(root, String((run += 1)));
      await using writer = await JournalWriter.open(directory, { segmentBytesMax: 700, fsync: "never" });
      const borders = [0, ...new Set(positions.toSorted((left, right) => left - right)), whole.length];
      for (const [index, end] of borders.slice(1).entries()) {
        writer.append("output", whole.subarray(borders[index], end), at(index));
      }
      await using reader = await JournalReader.open(directory);
      const parts: Uint8Array[] = [];
      for (let next = 0; next < reader.end;) {
        const result = reader.readSync(next, { bytesMax });
        parts.push(...result.records.map(({ payload }) => payload));
        next = result.next;
      }
      assert.ok(whole.equals(Buffer.concat(parts)));
      assert.equal(await reader.tailOffset(1234), whole.length - 1234);
    }),
    { numRuns: 40 },
  );
});

test("each way to sync gives the same journal", async (context) => {
  for (const fsync of ["interval", "never"] as const) {
    const directory = temporaryDirectory(context);
    await using writer = await JournalWriter.open(directory, { fsync, segmentBytesMax: 40 });
    for (const text of ["one", "two", "three"]) writer.append("output", bytesOf(text), at(1));
    await writer.close();
    assert.deepEqual(await contentOf(directory), ["0 output one", "3 output two", "6 output three"]);
  }
});

test("a sync that fails on the thread is reported and the session goes on", async (context) => {
  const problems: string[] = [];
  const failing = ((_descriptor: number, done: (error: Error) => void) =>
    done(new Error("EIO: i/o error"))) as typeof nodeFiles.fdatasync;
  const files = { ...nodeFiles, fdatasync: failing };
  const onProblem = (error: Error): void => void problems.push(error.message);
  const writer = await JournalWriter.open(temporaryDirectory(context), { files, onProblem });
  writer.append("output", bytesOf("a"), at(1));
  await writer.close();
  assert.match(problems.join(), /Cannot sync journal .*EIO/);
});

test("a closed writer refuses and says so", async (context) => {
  const writer = await JournalWriter.open(temporaryDirectory(context));
  await writer.close();
  assert.throws(() => writer.append("output", bytesOf("x"), at(2)), { code: "SESSION_ENDED", message: /closed/ });
});

test("a directory that cannot be made is an error with its reason", async (context) => {
  const file = join(temporaryDirectory(context), "file");
  nodeFiles.writeFileSync(file, "");
  await assert.rejects(JournalWriter.open(join(file, "below")), { code: "JOURNAL_WRITE_FAILED", message: /ENOTDIR/ });
});

test("the index on disk follows the writer, and one that is lost is made anew as it was", async (context) => {
  const directory = temporaryDirectory(context);
  {
    await using writer = await JournalWriter.open(directory);
    for (let count = 0; count < 100; count += 1) writer.append("output", numbered(8000), at(count));
  }
  const file = join(directory, "0000000000000000.idx");
  const index = readFileSync(file);
  assert.equal(index.length / 32, Math.ceil((100 * 8032) / (9 * 8032)));
  nodeFiles.rmSync(file);
  await (await JournalWriter.open(directory)).close();
  assert.deepEqual(readFileSync(file), index);
});
