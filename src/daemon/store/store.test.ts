import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Store } from "./store.ts";
import { StoreThread } from "./store-thread.ts";

test("Store numbers questions across daemons, and above what was asked before where the registry was made anew", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-store-"));
  const file = join(directory, "lectern.db");
  const numbersOf = async (above: number, count: number): Promise<number[]> => {
    await using thread = new StoreThread();
    const store = await Store.open(thread, { databaseFile: file, lockFile: join(directory, "lectern.lock") });
    const numbers: number[] = [];
    while (numbers.length < count) numbers.push(await store.rows.nextQuestion(above));
    await store.close();
    return numbers;
  };
  try {
    assert.deepEqual(await numbersOf(0, 2), [1, 2]);
    assert.deepEqual(await numbersOf(2, 2), [3, 4]);
    assert.deepEqual(await numbersOf(20, 2), [21, 22]);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
    assert.deepEqual(await numbersOf(40, 2), [41, 42]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("Store takes a lock file with other contents, and a second one is refused while that is held", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-store-"));
  const files = { databaseFile: join(directory, "lectern.db"), lockFile: join(directory, "lectern.lock") };
  writeFileSync(files.lockFile, "not a database");
  await using thread = new StoreThread();
  await using second = new StoreThread();
  const store = await Store.open(thread, files);
  try {
    await assert.rejects(Store.open(second, files), { code: "ALREADY_RUNNING" });
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
});
