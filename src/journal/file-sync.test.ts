import assert from "node:assert/strict";
import * as nodeFiles from "node:fs";
import { test } from "node:test";
import { FileSync } from "./file-sync.ts";

/** A disk whose syncs end only when the test says so. */
function slowDisk() {
  const running: { descriptor: number; end: () => void }[] = [];
  const started: number[] = [];
  const closed: number[] = [];
  const files = {
    ...nodeFiles,
    fdatasync: ((descriptor: number, done: (error: null) => void) => {
      started.push(descriptor);
      running.push({ descriptor, end: () => done(null) });
    }) as typeof nodeFiles.fdatasync,
    closeSync: (descriptor: number) => void closed.push(descriptor),
  };
  return { files, running, started, closed };
}

const unexpected = (cause: unknown): never => assert.fail(String(cause));

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("many writes within the interval make one sync, and a slow one is not joined by a second", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const disk = slowDisk();
  const sync = new FileSync(disk.files, "interval", unexpected);
  for (let count = 0; count < 10; count += 1) sync.written(7);
  assert.deepEqual(disk.started, []);
  context.mock.timers.tick(50);
  await turn();
  assert.deepEqual(disk.started, [7]);
  sync.written(7);
  context.mock.timers.tick(500);
  await turn();
  assert.deepEqual(disk.started, [7]);
  disk.running.pop()?.end();
  await turn();
  context.mock.timers.tick(50);
  await turn();
  assert.deepEqual(disk.started, [7, 7]);
  // What is written when all syncs have ended is synced as well.
  disk.running.pop()?.end();
  await turn();
  sync.written(7);
  context.mock.timers.tick(50);
  await turn();
  assert.deepEqual(disk.started, [7, 7, 7]);
});

test("closing syncs what was written, and closes behind the sync", async () => {
  const disk = slowDisk();
  const sync = new FileSync(disk.files, "interval", unexpected);
  sync.written(7);
  const closing = sync.close(7);
  await turn();
  assert.deepEqual([disk.started, disk.closed], [[7], []]);
  disk.running.pop()?.end();
  await closing;
  assert.deepEqual(disk.closed, [7]);
});

test("closing does not sync what is synced or what never is", async () => {
  for (const mode of ["interval", "never"] as const) {
    const disk = slowDisk();
    const sync = new FileSync(disk.files, mode, unexpected);
    if (mode === "never") sync.written(7);
    await sync.close(7);
    assert.deepEqual([disk.started, disk.closed], [[], [7]]);
  }
});
