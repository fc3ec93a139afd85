import assert from "node:assert/strict";
import { test } from "node:test";
import { Screen } from "./screen.ts";
import { snapshotBytes } from "./snapshot.ts";

test("snapshotBytes end in the bytes of the sequence that is not complete", () => {
  const screen = new Screen({ columns: 80, rows: 24 });
  screen.feed(Uint8Array.of(0x61, 0xe2, 0x82));
  const snapshot = JSON.parse(JSON.stringify(screen.snapshot(3)));
  assert.deepEqual(snapshot.pending, [0xe2, 0x82]);
  assert.deepEqual([...snapshotBytes(snapshot).subarray(-2)], [0xe2, 0x82]);
});
