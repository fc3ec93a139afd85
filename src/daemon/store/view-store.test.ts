import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ViewChange } from "../../core/views/change.ts";
import { CHECKPOINT_VERSION } from "../../core/views/checkpoint-version.ts";
import type { ViewCheckpoint } from "../../core/views/session-view.ts";
import { MemoryViews } from "../../session/memory-views.ts";
import { DaemonProblems } from "../problems.ts";
import { ViewStore } from "./view-store.ts";

/** Counts how often the store has reported that rows were refused. */
class CountedProblems extends DaemonProblems {
  refusals = 0;

  override set(part: string, problem: string | null): void {
    if (problem !== null) this.refusals++;
    super.set(part, problem);
  }
}

const stateOf = (change: ViewChange | undefined): string =>
  change?.kind === "status" ? change.status.state : "no status";

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

test("no checkpoint is written while rows that led to it are unanswered, refused or written again", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-views-"));
  // A small file system of its own; needs root, as the other tests of a full disk do.
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=2048k,mode=0700", "tmpfs", directory]);
  const problems = new CountedProblems(() => {});
  const errors: unknown[] = [];
  const store = await ViewStore.open(join(directory, "views.db"), {
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

test("statuses are listed as they were told, also one that began before the one that it replaced", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-views-"));
  const store = await ViewStore.open(join(directory, "views.db"), {
    onError: (error) => assert.fail(String(error)),
    problems: new DaemonProblems(() => {}),
  });
  try {
    const told = [
      ["waiting", 20, 7],
      ["blocked", 10, 7],
      ["waiting", 20, 7],
      ["working", 30, 8],
      ["blocked", 10, 9],
      ["waiting", 20, 9],
    ] as const;
    const wanted = { session: "s", from: 0, kinds: ["status"], changesMax: 9 } as const;
    // Together and one by one, in a store on disk and in one in memory.
    for (const kept of [store, new MemoryViews()]) {
      for (const isRead of [false, true]) {
        await kept.forget("s");
        const states: string[] = [];
        for (const [state, sinceUs, offset] of told) {
          kept.put("s", [
            { kind: "status", offset, timeUs: sinceUs, status: { state, sinceUs } } as unknown as ViewChange,
          ]);
          if (isRead) states.push(stateOf((await kept.list({ ...wanted, last: 1 })).at(-1)));
        }
        if (isRead)
          assert.deepEqual(
            states,
            told.map(([state]) => state),
          );
        assert.deepEqual((await kept.list({ ...wanted, last: 2 })).map(stateOf), ["blocked", "waiting"]);
        assert.deepEqual((await kept.changes(wanted)).map(stateOf), ["working", "blocked", "waiting"]);
      }
    }
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
});
