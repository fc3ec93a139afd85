import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RegistryRows } from "./registry-rows.ts";
import { META_FILE, readStoredSession, unreadText, writtenSession, type StoredSession } from "./stored-session.ts";

/** A data directory that the commit before stored options wrote. */
const earlier = join(import.meta.dirname, "../../../test/fixtures/data-8f40a414");

class EarlierData implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "lectern-test-"));
  readonly databaseFile = join(this.directory, "lectern.db");

  constructor() {
    cpSync(earlier, this.directory, { recursive: true });
    this.run(readFileSync(join(earlier, "lectern.sql"), "utf8"));
  }

  run(sql: string): void {
    const database = new DatabaseSync(this.databaseFile);
    database.exec(sql);
    database.close();
  }

  directoryOf(id: string): string {
    return join(this.directory, "sessions", id);
  }

  /** Opens the registry, and closes it again. */
  with<Result>(use: (rows: RegistryRows) => Result): Result {
    const rows = RegistryRows.open({ databaseFile: this.databaseFile, lockFile: join(this.directory, "lectern.lock") });
    try {
      return use(rows);
    } finally {
      rows.close();
    }
  }

  sessions(): Map<string, StoredSession | undefined> {
    return this.with((rows) => {
      const { sessions } = rows.load();
      return new Map(
        sessions.map((row) => [String(row["name"]), readStoredSession(row, this.directoryOf(String(row["id"])))]),
      );
    });
  }

  /** What the commit before reads. */
  earlierRows(): unknown[] {
    const database = new DatabaseSync(this.databaseFile, { readOnly: true });
    const rows = database
      .prepare(
        `SELECT sessions.*, is_mine, parent, trusts_text, options FROM sessions LEFT JOIN grants ON grants.session = id
         LEFT JOIN event_options ON event_options.session = id ORDER BY id`,
      )
      .all();
    database.close();
    return rows.map(({ options, ...row }) => ({ ...row, options: JSON.parse(String(options ?? "{}")) }));
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }
}

test("sessions of the commit before have all their options, from the registry and start.json", () => {
  using data = new EarlierData();
  const sessions = data.sessions();
  const { options: full } = sessions.get("full") ?? assert.fail();
  assert.deepEqual(
    [full.trustText, full.eventTag?.name, full.summaries, full.onBlocked, full.mode, full.retainBytesMax],
    [true, "WORK_EVENT", true, ["sh", "-c", "true"], "exec", 2_097_152],
  );
  assert.equal(full.shellIntegration, false);
  assert.equal(sessions.get("desk")?.options.mine, true);
  assert.deepEqual(sessions.get("gated")?.options.wire, {
    upstreams: {},
    approvalMs: 600_000,
    askOnce: true,
    mustGate: true,
  });
  assert.deepEqual(sessions.get("boxed")?.options.sandbox, { profile: "look", optional: false });
  assert.deepEqual(sessions.get("boxed")?.sandbox?.backend, "bubblewrap");
});

test("a session that is written again reads the same here and in the commit before", () => {
  using data = new EarlierData();
  const [rows, sessions] = [data.earlierRows(), data.sessions()];
  data.with((registry) => {
    for (const session of sessions.values()) registry.putSession(session ?? assert.fail());
  });
  assert.deepEqual(data.earlierRows(), rows);
  for (const { id } of [...sessions.values()].flatMap((session) => session ?? []))
    rmSync(join(data.directoryOf(id), "start.json"));
  assert.deepEqual(data.sessions(), sessions);
  for (const session of [...sessions.values()].flatMap((found) => found ?? [])) {
    const directory = data.directoryOf(session.id);
    const text = writtenSession(session, directory);
    const [before, written] = [JSON.parse(readFileSync(join(directory, META_FILE), "utf8")), JSON.parse(text)];
    for (const name of ["isMine", "trustsText", "eventTag", "summaries", "onBlocked", "parent"])
      assert.deepEqual(written[name], before[name], name);
    assert.deepEqual(readStoredSession(JSON.parse(text), directory), session);
  }
});

test("a damaged cell costs its field: options are read from session.json, and a row without a command or with facts that are not JSON is not read", () => {
  using data = new EarlierData();
  const before = data.sessions();
  data.with((rows) => rows.putSession(before.get("full") ?? assert.fail()));
  const { id } = before.get("full") ?? assert.fail();
  writeFileSync(
    join(data.directoryOf(id), META_FILE),
    writtenSession(before.get("full") ?? assert.fail(), data.directoryOf(id)),
  );
  data.run("UPDATE session_options SET options = '{\"rows\"'");
  data.run("UPDATE sessions SET exit = '}', labels = 'x' WHERE name = 'full'");
  data.run("UPDATE event_options SET options = '[' WHERE session = (SELECT id FROM sessions WHERE name = 'boxed')");
  data.run("UPDATE sessions SET command = 'sh -c' WHERE name = 'desk'");
  data.run("INSERT INTO receipts VALUES ('x', 'y', '{')");
  const sessions = data.sessions();
  const full = sessions.get("full") ?? assert.fail();
  assert.deepEqual({ ...full, exit: before.get("full")?.exit, labels: { a: "b" } }, before.get("full"));
  assert.deepEqual([full.exit, full.labels], [null, {}]);
  assert.deepEqual([sessions.has("boxed"), sessions.get("desk")], [false, undefined]);
  assert.deepEqual(
    data.with((rows) => rows.load().receipts),
    [],
  );
});

test("options of a newer version and other unknown keys are kept through reading and writing, and named", () => {
  using data = new EarlierData();
  const { id } = data.sessions().get("full") ?? assert.fail();
  const directory = data.directoryOf(id);
  const meta = JSON.parse(readFileSync(join(directory, META_FILE), "utf8"));
  const newer = { ...meta, options: { command: ["sh"], mode: "sideways", levitate: 7 }, mood: { is: "good" } };
  writeFileSync(join(directory, META_FILE), JSON.stringify(newer));
  const session = readStoredSession(newer, directory) ?? assert.fail();
  assert.deepEqual(session.unreadOptions, { mode: "sideways", levitate: 7 });
  assert.match(unreadText(session) ?? "", /^its options "mode", "levitate" /);
  const written = JSON.parse(writtenSession({ ...session, continues: undefined }, directory));
  assert.deepEqual([written.mood, written.options.levitate, written.options.mode], [newer.mood, 7, "sideways"]);
  data.with((rows) => rows.putSession(session));
  assert.deepEqual(data.sessions().get("full"), session);
});
