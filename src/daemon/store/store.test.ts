import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ChangeRow } from "./view-schema.ts";
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

test("Store refuses a pipe in the place of its lock or of its database, without waiting for a writer", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-store-"));
  const [pipe, lockFile] = [join(directory, "pipe"), join(directory, "lectern.lock")];
  execFileSync("mkfifo", [pipe]);
  try {
    for (const files of [
      { databaseFile: join(directory, "lectern.db"), lockFile: pipe },
      { databaseFile: pipe, lockFile },
    ]) {
      await using thread = new StoreThread();
      await assert.rejects(Store.open(thread, files), /is not a file.*move it away/);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("the databases and their logs are closed to others, also those of an earlier version", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-store-"));
  const at = (name: string): string => join(directory, name);
  writeFileSync(at("views.db"), "", { mode: 0o644 });
  await using thread = new StoreThread();
  const store = await Store.open(thread, { databaseFile: at("lectern.db"), lockFile: at("lectern.lock") });
  const views = await thread.open("views", { databaseFile: at("views.db") }, { name: "the views" });
  try {
    await store.rows.nextQuestion(0);
    const modes = readdirSync(directory).map((name) => [name, statSync(at(name)).mode & 0o777]);
    assert.deepEqual(
      modes.filter(([, mode]) => mode !== 0o600),
      [],
    );
    assert.ok(modes.length >= 5, String(modes));
  } finally {
    await views.close();
    await store.close();
    rmSync(directory, { recursive: true });
  }
});

test("a write of the registry does not wait for a large write of the views, which is in the same thread", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-store-"));
  const at = (name: string): string => join(directory, name);
  await using thread = new StoreThread();
  try {
    const store = await Store.open(thread, { databaseFile: at("lectern.db"), lockFile: at("lectern.lock") });
    const views = await thread.open("views", { databaseFile: at("views.db") }, { name: "the views" });
    const rows = Array.from({ length: 5000 }, (_, ordinal): ChangeRow => {
      const key = `m${ordinal}`;
      return { kind: "message", key, ordinal, offset: 0, timeUs: 0, role: "agent", text: `${key} says`, change: key };
    });
    const answered: string[] = [];
    await Promise.all([
      views.put("s", rows).then(() => answered.push("views")),
      views
        .changes({ session: "s", from: 0, kinds: ["message"], changesMax: 9999 })
        .then(({ length }) => answered.push(`${length} changes`)),
      store.rows.nextQuestion(0).then(() => answered.push("registry")),
    ]);
    assert.deepEqual(answered, ["registry", "views", "5000 changes"]);
    await Promise.all([views.close(), store.close()]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
