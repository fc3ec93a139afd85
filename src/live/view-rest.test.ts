import assert from "node:assert/strict";
import { test } from "node:test";
import { Records } from "../../test/support/memory-journal.ts";
import { ViewPool } from "./view-pool.ts";

const size = { columns: 80, rows: 24 };

test("a view that is opened where its journal ends takes a thread only when there is more, or somebody asks", async () => {
  const source = new Records().add("one\r\n");
  await using first = new ViewPool();
  const before = first.open({ ...size, source });
  await before.caughtUp();
  const checkpoint = { ...(await before.checkpoint()), wakeUs: null };
  const restore = async () => await Promise.resolve(checkpoint);
  const options = { ...size, source, checkpoint, restore, mayBeginAway: true };

  await using asked = new ViewPool();
  const quiet = asked.open(options);
  await quiet.caughtUp();
  assert.equal(asked.threads, 0);
  assert.deepEqual([quiet.status.state, quiet.status.offset, quiet.isAway], ["live", source.end, true]);
  assert.equal((await quiet.text()).text.trim(), "one");

  await using woken = new ViewPool();
  const view = woken.open(options);
  source.add("two\r\n");
  view.wake();
  await view.caughtUp();
  assert.equal((await view.text()).text.trim(), "one\ntwo");
});

test("a view that the clock changes soon, or that is read by other rules, is opened at once", async () => {
  const source = new Records().add("one\r\n");
  await using pool = new ViewPool();
  const before = pool.open({ ...size, source });
  await before.caughtUp();
  const checkpoint = { ...(await before.checkpoint()), wakeUs: Date.now() * 1000 };
  const restore = async () => await Promise.resolve(checkpoint);
  const options = { ...size, source, checkpoint, restore };
  assert.equal(pool.open({ ...options, mayBeginAway: true }).isAway, false);
  assert.equal(pool.open({ ...options, checkpoint: { ...checkpoint, wakeUs: null } }).isAway, false);
});

test("who wants what was written so far waits for nothing that is written later", async () => {
  const records = new Records().add("one\r\n");
  let isBusy = true;
  const source = {
    read: async (from: number, bytesMax: number) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      // Each read finds more at its end.
      if (isBusy) records.add(".");
      return records.read(from, bytesMax);
    },
    get end() {
      return records.end;
    },
  };
  await using pool = new ViewPool();
  const view = pool.open({ ...size, source });
  const { end } = records;
  view.wake();
  await view.readSoFar();
  assert.ok(view.status.offset >= end);
  isBusy = false;
  await view.readSoFar();
  view.close();
  records.add("more");
  await view.readSoFar();
});
