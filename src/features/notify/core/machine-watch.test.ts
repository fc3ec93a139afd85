import assert from "node:assert/strict";
import { test } from "node:test";
import { MachineWatch, type WatchedMachine } from "./machine-watch.ts";

const box = (state: WatchedMachine["state"], sinceMs: number): WatchedMachine => ({ name: "box", state, sinceMs });

test("an outage has one beginning, whatever is reported of it, until the machine answers", () => {
  const watch = new MachineWatch();
  assert.equal(watch.feed(box("connecting", 500)), false);
  assert.deepEqual([watch.feed(box("away", 1000)), watch.feed(box("away", 1001))], [true, false]);
  assert.deepEqual([watch.feed(box("connecting", 2000)), watch.feed(box("away", 3000))], [false, false]);
  assert.equal(watch.awaySinceMs("box"), 1000);
  assert.deepEqual([watch.feed(box("connected", 4000)), watch.awaySinceMs("box")], [true, null]);
  watch.feed(box("away", 5000));
  assert.equal(watch.awaySinceMs("box"), 5000);
});

test("the outage of an earlier daemon goes on in the next one, and ends with the machine's name", () => {
  const watch = new MachineWatch([["box", 1000]]);
  assert.equal(watch.feed(box("away", 9000)), false);
  assert.equal(watch.awaySinceMs("box"), 1000);
  assert.deepEqual([watch.forget("box"), watch.forget("box"), watch.awaySinceMs("box")], [true, false, null]);
});
