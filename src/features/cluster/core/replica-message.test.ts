import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeReplicaHeader, encodeReplicaHeader, isSameMessage } from "./replica-message.ts";

const header = { epoch: 1, epochStart: 0, from: 10, offset: 10, next: 20, gapReason: undefined, rawBytes: 42, crc: 7 };

test("a header is one line, and is read back", () => {
  assert.equal(encodeReplicaHeader(header), "1 1 0 10 10 20 42 7 -");
  assert.deepEqual(decodeReplicaHeader("1 1 0 10 10 20 42 7 -"), header);
  const gap = { ...header, from: 5, gapReason: "lag" } as const;
  assert.deepEqual(decodeReplicaHeader(encodeReplicaHeader(gap)), gap);
});

test("a header that contradicts itself is refused", () => {
  for (const text of [
    "",
    "2 1 0 10 10 20 42 7 -", // another version
    "1 0 0 10 10 20 42 7 -", // no epoch
    "1 1 11 10 10 20 42 7 -", // before its epoch
    "1 1 0 5 10 20 42 7 -", // a gap without a reason
    "1 1 0 10 10 20 42 7 lag", // a reason without a gap
    "1 1 0 5 10 20 42 7 other",
    "1 1 0 10 10 10 42 7 -", // empty
    "1 1 0 10 10 20 0 7 -",
    "1 1 0 10 10 20 42 4294967296 -",
    "1 1 0 10 10 20 42 07 -",
    "1 1 0 10 10 20 42 -7 -",
    "1 1 0 10 10 20 42 7 - ",
    "1 1 0 10 10 99999999999999999 42 7 -",
  ]) {
    assert.equal(decodeReplicaHeader(text), undefined, text);
  }
});

test("two messages are the same if sequence, place and bytes are", () => {
  const stored = { ...header, sequence: 4 };
  assert.ok(isSameMessage(stored, { ...stored }));
  for (const other of [{ sequence: 5 }, { crc: 8 }, { next: 21 }, { epoch: 2 }]) {
    assert.ok(!isSameMessage(stored, { ...stored, ...other }));
  }
});
