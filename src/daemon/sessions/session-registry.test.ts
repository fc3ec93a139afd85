import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionEntry } from "./session-entry.ts";
import { SessionRegistry } from "./session-registry.ts";

const store = { putSession: async () => {}, removeSession: async () => {} };
const fresh = (): SessionEntry =>
  SessionEntry.fresh({ id: "0123456789", name: "work", command: ["sh"], workingDirectory: "/" }, "/nowhere");

test("a change is in the file of a session when it is saved, also one that removes something, and in the order of the calls", async () => {
  const written: (string | undefined)[] = [];
  const entry = fresh();
  const registry = new SessionRegistry(store, async ({ stored }) => {
    await Promise.resolve();
    written.push(stored.continues);
  });
  await registry.add(entry);
  const { stored } = entry;
  const save = async (changes: Partial<typeof stored>): Promise<void> => {
    entry.stored = { ...stored, ...changes };
    await registry.save(entry);
  };
  await Promise.all([save({ continues: "one" }), save({ continues: "two" })]);
  await save({ continues: "two", end: 100, pid: 1, state: "running" });
  entry.stored = stored;
  await registry.save(entry);
  assert.deepEqual(written, ["two", "two", undefined]);
});

test("a session goes on without its file, which is reported, and cannot start without it; its removal waits for the file", async () => {
  const entry = fresh();
  let isFull = true;
  let isWritten = false;
  const begun = Promise.withResolvers<void>();
  const registry = new SessionRegistry(store, async () => {
    if (isFull) throw Object.assign(new Error("EISDIR: it is a directory"), { code: "EISDIR" });
    begun.resolve();
    await new Promise(setImmediate);
    isWritten = true;
  });
  await registry.add(entry);
  await assert.rejects(registry.save(entry, { needsFile: true }), /EISDIR/);
  await registry.save(entry);
  assert.match(entry.damage ?? "", /session.json cannot be written/);
  isFull = false;
  const saved = registry.save(entry);
  await begun.promise;
  await registry.remove(entry.id);
  assert.deepEqual([isWritten, await saved], [true, undefined]);
});
