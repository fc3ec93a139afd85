import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RequestThread } from "./request-thread.ts";
import type { ViewStoreRequest } from "./view-schema.ts";

test("who asks late whether a thread has started is told, also more than once", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-thread-"));
  const thread = new RequestThread<ViewStoreRequest>({
    entry: new URL("view-store-worker.ts", import.meta.url),
    workerData: { databaseFile: join(directory, "views.db") },
    name: "the views",
  });
  try {
    assert.deepEqual(await thread.request({ type: "checkpoints" }), []);
    assert.deepEqual(await thread.ready(), { damage: null, restriction: null });
    assert.deepEqual(await thread.ready(), { damage: null, restriction: null });
  } finally {
    await thread.terminate();
    rmSync(directory, { recursive: true });
  }
});

test("a thread that cannot start says why to who waits for it and to who asks it", async () => {
  const thread = new RequestThread<ViewStoreRequest>({
    entry: new URL("no-such-worker.ts", import.meta.url),
    workerData: {},
    name: "the views",
  });
  const asked = thread.request({ type: "checkpoints" });
  await assert.rejects(asked, /no-such-worker/);
  await assert.rejects(thread.ready(), /no-such-worker/);
});
