/** What both keepers of views promise: the store of the daemon, on disk, and the one of a session in this process, in memory. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ViewChange } from "../src/core/views/change.ts";
import { DaemonProblems } from "../src/daemon/problems.ts";
import { StoreThread } from "../src/daemon/store/store-thread.ts";
import { ViewStore } from "../src/daemon/store/view-store.ts";
import { MemoryViews } from "../src/session/local-session.ts";

const stateOf = (change: ViewChange | undefined): string =>
  change?.kind === "status" ? change.status.state : "no status";

test("statuses are listed as they were told, also one that began before the one that it replaced", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-views-"));
  await using thread = new StoreThread();
  const store = await ViewStore.open({
    databaseFile: join(directory, "views.db"),
    thread,
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
