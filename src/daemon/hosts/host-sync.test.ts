import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { cannotMount } from "../../../test/support/needs.ts";
import { temporaryDirectory } from "../../../test/support/numbered-bytes.ts";
import { JournalWriter } from "../../journal/writer.ts";
import { HostSync } from "./host-sync.ts";
import { SessionEntry } from "../sessions/session-entry.ts";
import { SessionRegistry } from "../sessions/session-registry.ts";
import type { StoredSession } from "../store/stored-session.ts";
import type { Store } from "../store/store.ts";

/** A session in the state "running" that no host runs, and the states of it that were saved. */
function orphan(context: TestContext): { entry: SessionEntry; saved: string[]; close: () => Promise<number> } {
  const saved: string[] = [];
  const putSession = async ({ state }: StoredSession): Promise<void> => void saved.push(state);
  // The registry calls nothing else for a session that it knows.
  const registry = new SessionRegistry({ putSession } as unknown as Store);
  const given = { id: "0123456789", name: "w", command: ["cat"], workingDirectory: "/", state: "running" } as const;
  const entry = SessionEntry.fresh(given, temporaryDirectory(context));
  registry.restore(entry);
  const ends = { end: async () => {}, removeUnstarted: async () => {} };
  const sync = new HostSync(registry, ends, (error) => {
    throw error;
  });
  context.after(() => sync[Symbol.asyncDispose]());
  const close = async (): Promise<number> => {
    const orphans = await sync.closeOrphans([entry]);
    await sync.finish(orphans);
    return orphans.length;
  };
  return { entry, saved, close };
}

test("an orphan whose directory is missing is saved as lost and damaged, and gets no new journal", async (context) => {
  const { entry, saved, close } = orphan(context);
  assert.equal(await close(), 1);
  assert.deepEqual([entry.stored.state, saved], ["lost", ["lost"]]);
  assert.match(entry.damage ?? "", /directory is missing.*lectern rm 0123456789/);
  assert.equal(existsSync(entry.directory), false);
});

test("an orphan whose journal cannot be opened is saved as lost and damaged, with the reason", async (context) => {
  const { entry, saved, close } = orphan(context);
  mkdirSync(join(entry.directory, "writer.lock"), { recursive: true });
  assert.equal(await close(), 1);
  assert.deepEqual([entry.stored.state, saved], ["lost", ["lost"]]);
  assert.match(entry.damage ?? "", /cannot be closed \(.*writer\.lock" is not a file.*lectern rm/);
});

test("an orphan whose end does not fit on the disk is not saved, so the next daemon tries again", async (context) => {
  if (cannotMount(context)) return;
  const { entry, saved, close } = orphan(context);
  mkdirSync(entry.directory);
  // One page, which is taken.
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=4k,mode=0700", "tmpfs", entry.directory]);
  try {
    writeFileSync(join(entry.directory, "filler"), Buffer.alloc(4096));
    assert.equal(await close(), 1);
  } finally {
    execFileSync("umount", ["--lazy", entry.directory]);
  }
  assert.deepEqual([entry.stored.state, saved, entry.damage], ["lost", [], null]);
});

test("an orphan whose journal is being written goes on, and is unreachable", async (context) => {
  const { entry, saved, close } = orphan(context);
  await using _writer = await JournalWriter.open(entry.directory);
  assert.equal(await close(), 0);
  assert.deepEqual([entry.stored.state, saved, entry.damage], ["running", ["running"], null]);
  assert.match(entry.unreachable ?? "", /is being written/);
});
