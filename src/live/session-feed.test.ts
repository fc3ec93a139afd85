import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { JournalReader } from "../journal/reader.ts";
import { trimSegments } from "../journal/retention.ts";
import { JournalWriter, type JournalWriterOptions } from "../journal/writer.ts";
import { decodeBinaryFrame } from "../protocol/attach-frames.ts";
import { encodeJson, encodeResize } from "../protocol/payloads.ts";
import { SessionFeed, FramePool, ReadTurn } from "./session-feed.ts";
import type { SessionCursor } from "./stream.ts";

/** A journal on disk with a feed over it, and what the feed was asked for. */
class Rig implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), "lectern-feed-"));
  readonly demands: boolean[] = [];
  writer!: JournalWriter;
  feed!: SessionFeed;
  #timeUs = 1;

  static async open(options?: JournalWriterOptions): Promise<Rig> {
    const rig = new Rig();
    rig.writer = await JournalWriter.open(rig.directory, options);
    rig.feed = new SessionFeed(await JournalReader.open(rig.directory), (wanted) => rig.demands.push(wanted));
    return rig;
  }

  append(type: "output" | "resize" | "exit", payload: Uint8Array): void {
    this.writer.append(type, payload, { timeUs: this.#timeUs++ });
  }

  advance(): void {
    this.feed.advance(this.writer.end);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.feed.close();
    await this.writer.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The bytes that a reader gets, record by record as `offset:text`, and the same from its frames. */
async function readAll(cursor: SessionCursor, bytesMax?: number): Promise<{ seen: string; bytes: Buffer }> {
  const parts: Buffer[] = [];
  let seen = "";
  let expected = cursor.offset;
  for (;;) {
    const items = await cursor.read(bytesMax);
    if (items.length === 0) return { seen, bytes: Buffer.concat(parts) };
    for (const { record, next, frame } of items) {
      assert.equal(record.offset, expected, "items are consecutive");
      expected = next;
      seen += record.type === "output" ? Buffer.from(record.payload).toString() : `<${record.type}>`;
      if (record.type !== "output") continue;
      parts.push(Buffer.from(record.payload));
      const decoded = decodeBinaryFrame(frame as Uint8Array);
      assert.deepEqual(decoded?.type === "output" && [decoded.offset, Buffer.from(decoded.bytes)], [
        record.offset,
        Buffer.from(record.payload),
      ]);
    }
  }
}

test("readers that come and go at any place and pace all see the same bytes", async () => {
  const chunk = fc.oneof(
    fc.string({ minLength: 1, maxLength: 30 }).map((text) => ({ type: "output" as const, text })),
    fc.constant({ type: "resize" as const, text: "" }),
  );
  const step = fc.record({
    chunks: fc.array(chunk, { maxLength: 4 }),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    pace: fc.integer({ min: 1, max: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      await using rig = await Rig.open();
      const readers: { cursor: SessionCursor; from: number; pace: number; seen: Buffer[] }[] = [];
      for (const { chunks, from, pace } of steps) {
        for (const { type, text } of chunks)
          rig.append(type, type === "output" ? Buffer.from(text) : encodeResize({ columns: 9, rows: 9 }));
        rig.advance();
        const boundary = await boundaryNear(rig, Math.floor(from * rig.feed.end));
        readers.push({ cursor: rig.feed.openCursor(boundary), from: boundary, pace, seen: [] });
        for (const reader of readers) reader.seen.push((await readAll(reader.cursor, reader.pace)).bytes);
      }
      using whole = rig.feed.openCursor(0);
      const records = await recordsOf(whole);
      for (const { from, seen } of readers) {
        const expected = records
          .filter(({ offset, type }) => type === "output" && offset >= from)
          .map(({ payload }) => Buffer.from(payload));
        assert.deepEqual(Buffer.concat(seen), Buffer.concat(expected));
      }
    }),
    { numRuns: 60 },
  );
});

/** The start of a record at or before an offset, or inside an output record the offset itself: where readers are. */
async function boundaryNear(rig: Rig, offset: number): Promise<number> {
  using cursor = rig.feed.openCursor(0);
  let boundary = 0;
  for (const record of await recordsOf(cursor)) if (record.offset <= offset) boundary = record.offset;
  return boundary;
}

async function recordsOf(cursor: SessionCursor): Promise<{ offset: number; type: string; payload: Uint8Array }[]> {
  const records: { offset: number; type: string; payload: Uint8Array }[] = [];
  // One byte at a time keeps neighbouring records apart.
  for (let items = await cursor.read(1); items.length > 0; items = await cursor.read(1))
    records.push(...items.map(({ record }) => ({ ...record, payload: record.payload.slice() })));
  return records;
}

test("a reader resumes in the middle of an output record", async () => {
  await using rig = await Rig.open();
  rig.append("output", Buffer.from("hello world"));
  rig.advance();
  using cursor = rig.feed.openCursor(6);
  assert.equal((await readAll(cursor)).seen, "world");
});

test("readers at the same place share one frame", async () => {
  await using rig = await Rig.open();
  using first = rig.feed.openCursor(0);
  using second = rig.feed.openCursor(0);
  rig.append("output", Buffer.from("shared"));
  rig.advance();
  const [ofFirst] = await first.read();
  const [ofSecond] = await second.read();
  assert.equal(ofFirst?.frame, ofSecond?.frame);
});

test("a reader far behind the window gets everything, and so does one that jumps ahead", async () => {
  await using rig = await Rig.open();
  using behind = rig.feed.openCursor(0);
  using ahead = rig.feed.openCursor(0);
  const megabyte = Buffer.alloc(1024 * 1024, "x");
  for (let index = 0; index < 8; index++) {
    rig.append("output", megabyte);
    rig.advance();
    ahead.skipTo(ahead.end - 10);
    assert.equal((await readAll(ahead)).bytes.length, 10);
  }
  assert.equal((await readAll(behind)).bytes.length, 8 * megabyte.length);
});

test("the exit is the last thing that a reader gets", async () => {
  await using rig = await Rig.open();
  using cursor = rig.feed.openCursor(0);
  rig.append("output", Buffer.from("bye"));
  rig.append("exit", encodeJson({ reason: "exited", code: 0, signal: null }));
  rig.advance();
  assert.equal(cursor.done, false);
  assert.equal((await readAll(cursor)).seen, "bye<exit>");
  assert.equal(cursor.done, true);
  using behind = rig.feed.openCursor(cursor.offset);
  assert.equal(behind.done, true);
});

test("a reader that skips to the end is told of the exit all the same", async () => {
  await using rig = await Rig.open();
  using cursor = rig.feed.openCursor(0);
  rig.append("output", Buffer.alloc(20_000, "x"));
  const exitOffset = rig.writer.end;
  rig.append("exit", encodeJson({ reason: "exited", code: 0, signal: null }));
  rig.advance();
  cursor.skipTo(cursor.end);
  assert.equal(cursor.offset, exitOffset);
  assert.deepEqual([rig.feed.beforeExit(rig.feed.end), rig.feed.beforeExit(10)], [exitOffset, 10]);
  assert.deepEqual([(await readAll(cursor)).seen, cursor.done], ["<exit>", true]);
});

test("who waits at the end is told that it is final, also where nothing more was written", async () => {
  await using rig = await Rig.open();
  rig.append("output", Buffer.from("bye"));
  rig.append("exit", encodeJson({ reason: "exited", code: 0, signal: null }));
  rig.advance();
  using cursor = rig.feed.openCursor(rig.feed.end);
  assert.equal(cursor.done, false);
  let calls = 0;
  cursor.onAdvance = () => calls++;
  rig.feed.finish(rig.writer.end);
  assert.deepEqual([calls, cursor.done], [1, true]);
});

test("an offset beyond the end is refused, and one at the end waits for what comes", async () => {
  await using rig = await Rig.open();
  rig.append("output", Buffer.from("abc"));
  rig.advance();
  assert.throws(() => rig.feed.openCursor(4), { code: "OFFSET_BEYOND_END", message: /4.*3/s });
  using cursor = rig.feed.openCursor(3);
  let calls = 0;
  cursor.onAdvance = () => calls++;
  rig.append("output", Buffer.from("def"));
  rig.advance();
  assert.equal(calls, 1);
  assert.equal((await readAll(cursor)).seen, "def");
});

test("the session is followed only while somebody reads", async () => {
  await using rig = await Rig.open();
  const first = rig.feed.openCursor(0);
  const second = rig.feed.openCursor(0);
  first[Symbol.dispose]();
  assert.deepEqual(rig.demands, [true]);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  assert.deepEqual(rig.demands, [true, false]);
});

test("what a reader was given stays as it is while others jump ahead and load", async () => {
  await using rig = await Rig.open();
  using steady = rig.feed.openCursor(0);
  using jumping = rig.feed.openCursor(0);
  const print = (value: number): void => {
    rig.append("output", Buffer.alloc(40_000, value));
    rig.advance();
  };
  print(1);
  const items = await steady.read();
  // Ahead of the window, so that it begins anew there; what it held before is free for what is loaded then.
  print(2);
  jumping.skipTo(rig.feed.end);
  for (const value of [3, 4, 5]) {
    print(value);
    assert.equal((await jumping.read())[0]?.record.payload[0], value);
  }
  assert.ok(items[0]?.record.payload.every((byte) => byte === 1));
});

test("a reader whose next part is trimmed under its hands gets the rest of its segment and the gap", async () => {
  await using rig = await Rig.open({ segmentBytesMax: 65_536 });
  const append = (bytes: number): void => {
    for (let left = bytes; left > 0; left -= 16_384) {
      rig.append("output", Buffer.alloc(16_384, "x"));
      rig.append("resize", encodeResize({ columns: 80, rows: 24 }));
    }
    rig.advance();
  };
  append(32_768);
  using cursor = rig.feed.openCursor(0);
  assert.ok((await cursor.read()).length > 0);
  // More than the window has room for, and little enough to be read at once.
  append(3_000_000);
  const start = await trimSegments(rig.directory, 100_000);
  assert.ok(start > 2_500_000);
  const { seen } = await readAll(cursor);
  assert.match(seen.replaceAll(/x+/g, "x"), /^(?:x<resize>)+x<gap><resize>(?:x<resize>)+$/);
});

test("memory is used again only when the owner and every lease have let go", () => {
  const pool = new FramePool(16);
  const first = pool.take(4)!;
  const memory = first.bytes.buffer;
  first.retain();
  first.release();
  assert.notEqual(pool.take(4)!.bytes.buffer, memory);
  first.release();
  const again = pool.take(16)!;
  assert.equal(again.bytes.buffer, memory);
  assert.equal(again.bytes.length, 16);
});

test("a frame that would not fit is refused, and letting go twice is a mistake", () => {
  const pool = new FramePool(16);
  assert.equal(pool.take(17), undefined);
  const frame = pool.take(1)!;
  frame.release();
  assert.throws(() => frame.release(), TypeError);
  assert.throws(() => frame.retain(), TypeError);
});

test("a turn has room for so many bytes, and the next one again", async () => {
  const turn = new ReadTurn(100);
  const isOver = (): boolean => turn.next !== undefined;
  assert.equal(isOver(), false);
  turn.took(99);
  assert.equal(isOver(), false);
  turn.took(50);
  const later = turn.next;
  await Promise.resolve();
  assert.ok(isOver(), "microtasks are of the same turn");
  await later;
  assert.equal(isOver(), false);
});
