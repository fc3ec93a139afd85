import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { RecordDatabase } from "./record-database.ts";

const userId = process.getuid?.() ?? 0;

class Agent implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "lectern-record-"));
  readonly path = join(this.root, "opencode.db");
  readonly database = new DatabaseSync(this.path);

  constructor() {
    this.database.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, revert TEXT, time_updated INTEGER);
      CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
      INSERT INTO session VALUES ('s1', NULL, '/d', NULL, 1), ('s2', 's1', '/d', NULL, 1), ('other', NULL, '/d', NULL, 1)`);
  }

  part(id: string, session: string, updated: number): void {
    this.database.prepare("INSERT INTO part VALUES (?, 'm', ?, 0, ?, '{}')").run(id, session, updated);
  }

  [Symbol.dispose](): void {
    this.database.close();
    rmSync(this.root, { recursive: true });
  }
}

const idsIn = (record: RecordDatabase): string[] =>
  Buffer.from(record.next())
    .toString()
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { row: { id: string } }).row.id]));

test("the rows of a conversation and of its sub-agents are read once, when they change, and no others", async () => {
  using agent = new Agent();
  agent.part("a", "s1", 5);
  agent.part("x", "other", 5);
  using record = await RecordDatabase.open(agent.path, { isBoxed: false, root: agent.root, userId }, "s1");
  assert.deepEqual(idsIn(record), ["s1", "s2", "a"]);
  assert.deepEqual(idsIn(record), []);
  // In the same millisecond, and later.
  agent.part("b", "s2", 5);
  assert.deepEqual(idsIn(record), ["b"]);
  agent.database.exec("UPDATE part SET time_updated = 9 WHERE id = 'a'");
  assert.deepEqual(idsIn(record), ["a"]);
  assert.deepEqual(idsIn(record), []);
});

test("a database that is locked is read later, one that is moved is gone", async () => {
  using agent = new Agent();
  using record = await RecordDatabase.open(agent.path, { isBoxed: false, root: agent.root, userId }, "s1");
  agent.database.exec("BEGIN EXCLUSIVE");
  agent.part("a", "s1", 5);
  assert.deepEqual(idsIn(record), ["s1", "s2"]);
  agent.database.exec("COMMIT");
  assert.deepEqual(idsIn(record), ["a"]);
  renameSync(agent.path, `${agent.path}.away`);
  assert.equal(record.state(), "gone");
});

test("a link, another file or another schema in its place is refused", async () => {
  using agent = new Agent();
  const other = join(agent.root, "other.db");
  const open = async (user = userId) =>
    await RecordDatabase.open(other, { isBoxed: false, root: agent.root, userId: user }, "s1");
  symlinkSync(agent.path, other);
  await assert.rejects(open(), /symbolic link/);
  rmSync(other);
  writeFileSync(other, "text, and no database");
  await assert.rejects(open(), /not a database that is known/);
  rmSync(other);
  new DatabaseSync(other).close();
  await assert.rejects(open(), /not a database that is known.*no such table/);
  await assert.rejects(open(userId + 1), /another user/);
});
