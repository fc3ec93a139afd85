import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { frameLength, frameSpan, hash32, ModelJournal } from "../../../../test/simulation/model-journal.ts";
import { ReplicaReader, type ReplicaMessage, type ReplicaPart } from "./replica-reader.ts";

/** Frames of three bytes: offsets 0, 3, 6 and so on. */
const journal = new ModelJournal();
for (let at = 0; at < 40; at++) journal.append([at, at + 1, at + 2]);

const reader = (pendingBytesMax = 1000): ReplicaReader =>
  new ReplicaReader({ frameLength, frameSpan, crc32: hash32, pendingBytesMax });

function message(offset: number, next: number, more: Partial<ReplicaMessage> = {}): ReplicaMessage {
  const bytes = journal.raw(offset, next)!;
  const place = { epoch: 1, epochStart: 0, from: offset, offset, next };
  return { ...place, rawBytes: bytes.length, crc: hash32(bytes), bytes, ...more };
}

const short = (parts: readonly ReplicaPart[]): string[] =>
  parts.map((part) => {
    if (part.type === "epoch") return `epoch ${part.epoch} at ${part.offset}`;
    if (part.type === "gap") return `${part.reason} ${part.offset}-${part.next}`;
    assert.deepEqual(part.bytes, journal.raw(part.offset, part.next));
    return `${part.offset}-${part.next}`;
  });

test("messages in order come out as they are, duplicates and overlaps once", () => {
  const one = reader();
  assert.deepEqual(short(one.feed(message(0, 6))), ["epoch 1 at 0", "0-6"]);
  assert.deepEqual(short(one.feed(message(0, 6))), []);
  assert.deepEqual(short(one.feed(message(3, 12))), ["6-12"]);
  assert.deepEqual(short(one.feed(message(6, 9))), []);
  assert.equal(one.cursor, 12);
});

test("a message beyond a hole is held until the hole is filled, or declared at the end", () => {
  const one = reader();
  one.feed(message(0, 6));
  assert.deepEqual(short(one.feed(message(9, 12))), []);
  assert.deepEqual(short(one.feed(message(6, 9))), ["6-9", "9-12"]);
  assert.deepEqual(short(one.feed(message(15, 18))), []);
  assert.deepEqual(short(one.settle()), ["missing 12-15", "15-18"]);
  assert.equal(one.pendingBytes, 0);
});

test("messages beyond a hole are held up to the limit", () => {
  const one = reader(20);
  one.feed(message(0, 3));
  assert.deepEqual(short(one.feed(message(6, 12))), []);
  assert.deepEqual(short(one.feed(message(15, 21))), []);
  assert.deepEqual(short(one.feed(message(21, 24))), ["missing 3-6", "6-12"]);
  assert.equal(one.pendingBytes, 15);
});

test("a gap that a message declares comes out with its reason", () => {
  const one = reader();
  one.feed(message(0, 3));
  assert.deepEqual(short(one.feed(message(9, 12, { from: 3, gapReason: "lag" }))), ["lag 3-9", "9-12"]);
});

test("a higher epoch begins anew, and a lower one is ignored", () => {
  const one = reader();
  one.feed(message(0, 6));
  one.feed(message(9, 12));
  assert.deepEqual(short(one.feed(message(3, 9, { epoch: 2, epochStart: 3 }))), ["epoch 2 at 3", "3-9"]);
  assert.deepEqual(short(one.feed(message(9, 12))), []);
  assert.deepEqual(short(one.settle()), []);
});

test("a message whose bytes do not fit its header is dropped and counted", () => {
  const one = reader();
  const good = message(0, 6);
  for (const bad of [
    { ...good, crc: 1 },
    { ...good, rawBytes: 11 },
    { ...good, next: 5 },
    { ...message(3, 6), offset: 0, from: 0 },
  ]) {
    assert.deepEqual(short(one.feed(bad)).slice(1), [], JSON.stringify(bad));
    one.settle();
  }
  assert.equal(one.damagedMessages, 4);
  assert.deepEqual(short(one.feed(good)).at(-1), "0-6");
});

test("any order of any messages gives the bytes of the journal and declared gaps", () => {
  const range = fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 9 }));
  fc.assert(
    fc.property(fc.array(range), fc.boolean(), (ranges, isBounded) => {
      const one = reader(isBounded ? 30 : 10_000);
      const parts = ranges.flatMap(([from, count]) => one.feed(message(from * 3, (from + count) * 3)));
      parts.push(...one.settle());
      let cursor = 0;
      const seen = new Set<number>();
      for (const part of parts.slice(1)) {
        assert.ok(part.type !== "epoch");
        assert.equal(part.offset, cursor);
        cursor = part.next;
        if (part.type !== "frames") continue;
        assert.deepEqual(part.bytes, journal.raw(part.offset, part.next));
        for (let at = part.offset; at < part.next; at += 3) seen.add(at);
      }
      const given = new Set(
        ranges.flatMap(([from, count]) => Array.from({ length: count }, (_, at) => (from + at) * 3)),
      );
      if (!isBounded) assert.deepEqual(seen, given);
    }),
  );
});
