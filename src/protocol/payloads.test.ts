import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  decodeExit,
  decodeMark,
  decodeResize,
  encodeJson,
  encodeResize,
  nextOffset,
  toServerMessage,
} from "./payloads.ts";
import type { JournalRecord } from "./records.ts";

const record = (type: JournalRecord["type"], payload: Uint8Array): JournalRecord => ({
  offset: 10,
  timeUs: 5,
  type,
  secret: false,
  payload,
});

test("a size comes back from its payload as it was", () => {
  const side = fc.integer({ min: 1, max: 65_535 });
  fc.assert(
    fc.property(side, side, (columns, rows) =>
      assert.deepEqual(decodeResize(encodeResize({ columns, rows })), { columns, rows }),
    ),
  );
});

test("a resize of the wrong length and a payload that is no JSON are reported as corrupt", () => {
  assert.throws(() => decodeResize(Uint8Array.of(0, 80)), { code: "JOURNAL_CORRUPT" });
  assert.throws(() => decodeMark(Uint8Array.of(0x7b)), { code: "JOURNAL_CORRUPT" });
});

test("a reader resumes behind a record, and behind what a trimmed gap stands for", () => {
  assert.equal(nextOffset(record("output", new Uint8Array(3))), 13);
  assert.equal(nextOffset(record("gap", encodeJson({ reason: "trimmed", from: 10, to: 99 }))), 99);
  const lost = encodeJson({ reason: "host-lost", bytesMax: 65_536 });
  assert.equal(nextOffset(record("gap", lost)), 10 + lost.length);
});

test("each record but output has a message", () => {
  const exit = { reason: "exited", code: 0, signal: null } as const;
  assert.deepEqual(decodeExit(encodeJson(exit)), exit);
  const message = toServerMessage(record("exit", encodeJson(exit)));
  assert.deepEqual(message, { type: "exit", offset: 10, next: 10 + encodeJson(exit).length, timeUs: 5, exit });
  assert.equal(toServerMessage(record("input", new Uint8Array(2))).type, "input");
  assert.throws(() => toServerMessage(record("output", new Uint8Array(2))), TypeError);
});
