import assert from "node:assert/strict";
import { test } from "node:test";
import { toSessionRecord } from "./session-record.ts";

test("the base64 of an output record becomes bytes and other records stay as they are", () => {
  const output = { type: "output", offset: 0, next: 3, timeUs: 1, data: "AP+A" };
  assert.deepEqual(toSessionRecord(output), {
    type: "output",
    offset: 0,
    next: 3,
    timeUs: 1,
    bytes: Uint8Array.of(0, 255, 128),
  });
  const exit = { type: "exit", offset: 3, next: 4, timeUs: 2, exit: { reason: "lost", code: null, signal: null } };
  assert.deepEqual(toSessionRecord(exit), exit);
});
