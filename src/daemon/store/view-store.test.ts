import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { cannotMount } from "../../../test/support/needs.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { CHECKPOINT_VERSION } from "../../core/views/checkpoint-version.ts";
import type { ViewCheckpoint } from "../../core/views/session-view.ts";
import { DaemonProblems } from "../problems.ts";
import { StoreThread } from "./store-thread.ts";
import { ViewStore } from "./view-store.ts";

/** Counts how often the store has reported that rows were refused. */
class CountedProblems extends DaemonProblems {
  refusals = 0;

  override set(part: string, problem: string | null): void {
    if (problem !== null) this.refusals++;
    super.set(part, problem);
  }
}

const checkpointAt = (offset: number): ViewCheckpoint =>
  // The store reads nothing but the offset.
  ({ version: CHECKPOINT_VERSION, offset, folds: null }) as ViewCheckpoint;

// Only what becomes a row.
const largeRow = {
  kind: "message",
  offset: 0,
  timeUs: 1,
  message: { id: "m1", role: "agent", text: "x".repeat(300_000) },
} as unknown as ViewChange;

test("no checkpoint is written while rows that led to it are unanswered, refused or written again", async (context) => {
  if (cannotMount(context)) return;
  const directory = mkdtempSync(join(tmpdir(), "lectern-views-"));
  // A small file system of its own.
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2048k,mode=0700", "tmpfs", directory]);
  const problems = new CountedProblems(() => {});
  const errors: unknown[] = [];
  await using thread = new StoreThread();
  const store = await ViewStore.open({
    databaseFile: join(directory, "views.db"),
    thread,
    onError: (error) => errors.push(error),
    problems,
  });
  try {
    await store.putCheckpoint("s", checkpointAt(1));
    const { bavail, bsize } = statfsSync(directory);
    // Room for a checkpoint, but not for the row.
    writeFileSync(join(directory, "filler"), Buffer.alloc(bavail * bsize - 128 * 1024));
    store.put("s", [largeRow]);
    await store.putCheckpoint("s", checkpointAt(2));
    assert.equal((await store.checkpoint("s"))?.offset, 1);
    assert.equal(problems.refusals, 1);
    // During the wait for the next attempt, and while that is under way.
    while (problems.refusals < 3) {
      await store.putCheckpoint("s", checkpointAt(3));
      await nextTurn();
    }
    assert.equal((await store.checkpoint("s"))?.offset, 1);
    await store.putCheckpoint("other", checkpointAt(4));
    assert.equal((await store.checkpoint("other"))?.offset, 4);

    rmSync(join(directory, "filler"));
    while (problems.all.length > 0) await nextTurn();
    await store.putCheckpoint("s", checkpointAt(5));
    assert.equal((await store.checkpoint("s"))?.offset, 5);
    assert.deepEqual(errors, []);
  } finally {
    await store.close();
    execFileSync("umount", ["--lazy", directory]);
    rmSync(directory, { recursive: true });
  }
});
